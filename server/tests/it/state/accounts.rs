//! Operators, sessions, tokens and one-time links.

use super::{State, assert_exists, conformance, now};
use app::model::Role;
use chrono::TimeDelta;
use server::ports::state::{Credentials, LinkKind, OneTimeLink, Operator, Session, Token};
use std::sync::Arc;

conformance!(
    operators_are_unique_and_listed,
    of_many_first_operators_one_is_made,
    a_new_password_ends_sessions,
    a_session_never_outlives_the_password_it_came_by,
    sessions_end,
    tokens_are_named_limited_and_revoked,
    a_link_works_once,
);

fn operator(name: &str, role: Role) -> Operator {
    Operator { name: name.to_owned(), role, password_hash: None, created_at: now() }
}

async fn setup_link(state: &State, secret: u8) -> [u8; 32] {
    let link = OneTimeLink {
        kind: LinkKind::Setup,
        operator: None,
        expires_at: now() + TimeDelta::minutes(15),
        used_at: None,
    };
    state.stores.links.add(&[secret; 32], &link).await.unwrap();
    [secret; 32]
}

async fn operators_are_unique_and_listed(state: State) {
    let operators = &state.stores.operators;
    assert!(!operators.any().await.unwrap());
    assert!(operators.get("ann").await.unwrap().is_none());
    assert!(!operators.set_password("ann", "hash").await.unwrap());

    let ann = operator("ann", Role::Admin);
    let link = setup_link(&state, 1).await;
    assert!(operators.add_first(&ann, &link).await.unwrap());
    operators.add(&operator("李雷", Role::Viewer)).await.unwrap();
    operators.add(&operator("Ann", Role::Operator)).await.unwrap();
    assert_exists(&operators.add(&operator("ann", Role::Viewer)).await);
    assert_exists(&operators.add_first(&operator("bob", Role::Admin), &setup_link(&state, 2).await).await);
    assert_eq!(state.stores.links.get(&[2; 32]).await.unwrap().unwrap().used_at, None, "what failed used up nothing");
    assert!(operators.any().await.unwrap());

    assert!(operators.set_password("ann", "$argon2id$…").await.unwrap());
    let read = operators.get("ann").await.unwrap().unwrap();
    assert_eq!((read.role, read.created_at), (Role::Admin, ann.created_at));
    assert_eq!(read.password_hash.as_deref(), Some("$argon2id$…"));
    let everyone = operators.list().await.unwrap();
    assert_eq!(everyone.len(), 3, "names that differ in case are different");
    let li = everyone.iter().find(|operator| operator.name == "李雷").unwrap();
    assert_eq!((li.role, &li.password_hash), (Role::Viewer, &None));
}

async fn of_many_first_operators_one_is_made(state: State) {
    let other_process = state.of_another_process().await;
    let link = setup_link(&state, 1).await;
    let racers = (0..10).map(|racer| {
        let operators = if racer % 2 == 0 { &state.stores.operators } else { &other_process.operators };
        async move { operators.add_first(&operator(&format!("admin {racer}"), Role::Admin), &link).await }
    });
    let results = futures::future::join_all(racers).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
    results.iter().filter(|result| result.is_err()).for_each(assert_exists);
    assert_eq!(state.stores.operators.list().await.unwrap().len(), 1);
}

fn session(operator: &str) -> Session {
    Session {
        id: "s1".to_owned(),
        operator: operator.to_owned(),
        role: Role::Viewer,
        expires_at: now() + TimeDelta::hours(1),
        ends_at: now() + TimeDelta::hours(2),
    }
}

/// For an operator without a password.
async fn open(credentials: &Arc<dyn Credentials>, secret: u8, session: &Session) -> bool {
    credentials.open_session(&[secret; 32], session, None).await.unwrap()
}

async fn a_new_password_ends_sessions(state: State) {
    let (operators, credentials) = (&state.stores.operators, &state.stores.credentials);
    operators.add(&operator("ann", Role::Operator)).await.unwrap();
    operators.add(&operator("bob", Role::Operator)).await.unwrap();
    assert!(open(credentials, 1, &session("ann")).await);
    assert!(open(credentials, 2, &session("bob")).await);
    operators.set_password("ann", "new").await.unwrap();
    assert!(credentials.session(&[1; 32], now()).await.unwrap().is_none());
    assert!(credentials.session(&[2; 32], now()).await.unwrap().is_some(), "bob's goes on");
    assert!(!open(credentials, 3, &session("ann")).await, "the old password was right a moment ago");
    assert!(credentials.session(&[3; 32], now()).await.unwrap().is_none());
}

async fn a_session_never_outlives_the_password_it_came_by(state: State) {
    let (operators, credentials) = (&state.stores.operators, &state.stores.credentials);
    operators.add(&operator("ann", Role::Operator)).await.unwrap();
    for round in 0..20 {
        operators.set_password("ann", "old").await.unwrap();
        let (secret, ann) = ([round; 32], session("ann"));
        let (opened, changed) =
            tokio::join!(credentials.open_session(&secret, &ann, Some("old")), operators.set_password("ann", "new"));
        opened.unwrap();
        changed.unwrap();
        assert!(credentials.session(&secret, now()).await.unwrap().is_none(), "round {round}");
    }
}

async fn sessions_end(state: State) {
    let credentials = &state.stores.credentials;
    state.stores.operators.add(&operator("ann", Role::Admin)).await.unwrap();
    let opened = session("ann");
    assert!(open(credentials, 1, &opened).await);
    assert_exists(&credentials.open_session(&[1; 32], &opened, None).await);
    assert!(!open(credentials, 2, &session("nobody")).await, "there is no such operator");

    let read = credentials.session(&[1; 32], now()).await.unwrap().unwrap();
    assert_eq!(
        (read.id.as_str(), read.operator.as_str(), read.role),
        ("s1", "ann", Role::Admin),
        "the operator's role"
    );
    assert_eq!((read.expires_at, read.ends_at), (opened.expires_at, opened.ends_at));
    assert!(credentials.session(&[2; 32], now()).await.unwrap().is_none(), "it was not opened");
    assert!(credentials.session(&[3; 32], now()).await.unwrap().is_none(), "there is no such secret");
    assert!(credentials.session(&[1; 32], opened.expires_at).await.unwrap().is_none(), "it ran out");

    let later = opened.expires_at + TimeDelta::minutes(30);
    credentials.extend_session(&[1; 32], later).await.unwrap();
    assert_eq!(credentials.session(&[1; 32], opened.expires_at).await.unwrap().unwrap().expires_at, later);
    credentials.extend_session(&[1; 32], opened.expires_at).await.unwrap();
    assert_eq!(credentials.session(&[1; 32], now()).await.unwrap().unwrap().expires_at, later, "not shortened");
    credentials.extend_session(&[1; 32], opened.ends_at + TimeDelta::days(1)).await.unwrap();
    assert_eq!(credentials.session(&[1; 32], now()).await.unwrap().unwrap().expires_at, opened.ends_at);
    assert!(credentials.session(&[1; 32], opened.ends_at).await.unwrap().is_none(), "the end, whatever happens");

    credentials.close_session(&[1; 32]).await.unwrap();
    credentials.extend_session(&[1; 32], later).await.unwrap();
    assert!(credentials.session(&[1; 32], now()).await.unwrap().is_none(), "what was closed stays closed");

    let past = Session { expires_at: now() - TimeDelta::hours(1), ..session("ann") };
    assert!(open(credentials, 4, &past).await);
    assert!(open(credentials, 5, &session("ann")).await);
    assert_eq!(state.sql("SELECT id FROM oncewatch_session").await.len(), 1, "the dead are swept");
}

async fn tokens_are_named_limited_and_revoked(state: State) {
    let credentials = &state.stores.credentials;
    let eternal = Token {
        name: "ci".to_owned(),
        role: Role::Operator,
        source: Some("points".to_owned()),
        created_at: now(),
        expires_at: None,
    };
    let short =
        Token { name: "a".to_owned(), source: None, expires_at: Some(now() + TimeDelta::days(90)), ..eternal.clone() };
    credentials.add_token(&[1; 32], &eternal).await.unwrap();
    credentials.add_token(&[2; 32], &short).await.unwrap();
    assert_exists(&credentials.add_token(&[3; 32], &eternal).await);

    let far = now() + TimeDelta::days(1_000);
    let read = credentials.token(&[1; 32], far).await.unwrap().unwrap();
    assert_eq!((read.name.as_str(), read.role, read.source.as_deref()), ("ci", Role::Operator, Some("points")));
    assert_eq!((read.created_at, read.expires_at), (eternal.created_at, None));
    assert_eq!(credentials.token(&[2; 32], now()).await.unwrap().unwrap().expires_at, short.expires_at);
    assert!(credentials.token(&[2; 32], far).await.unwrap().is_none(), "it ran out");
    assert!(credentials.token(&[3; 32], now()).await.unwrap().is_none());
    let names: Vec<String> = credentials.tokens().await.unwrap().into_iter().map(|token| token.name).collect();
    assert_eq!(names, ["a", "ci"]);

    assert!(credentials.revoke_token("ci").await.unwrap());
    assert!(!credentials.revoke_token("ci").await.unwrap());
    assert!(credentials.token(&[1; 32], now()).await.unwrap().is_none());
}

async fn a_link_works_once(state: State) {
    let other_process = state.of_another_process().await;
    let links = &state.stores.links;
    let link = OneTimeLink {
        kind: LinkKind::SignIn,
        operator: Some("ann".to_owned()),
        expires_at: now() + TimeDelta::minutes(15),
        used_at: None,
    };
    links.add(&[1; 32], &link).await.unwrap();
    links.add(&[2; 32], &OneTimeLink { kind: LinkKind::Setup, operator: None, ..link.clone() }).await.unwrap();
    assert!(links.get(&[3; 32]).await.unwrap().is_none());
    assert!(!links.consume(&[3; 32], now()).await.unwrap());

    let used_at = now();
    let racers = (0..20).map(|racer| {
        let links = if racer % 2 == 0 { links } else { &other_process.links };
        async move { links.consume(&[1; 32], used_at).await.unwrap() }
    });
    let won = futures::future::join_all(racers).await.into_iter().filter(|won| *won).count();
    assert_eq!(won, 1);
    let used = links.get(&[1; 32]).await.unwrap().unwrap();
    assert_eq!((used.kind, used.operator.as_deref()), (LinkKind::SignIn, Some("ann")));
    assert_eq!((used.expires_at, used.used_at), (link.expires_at, Some(used_at)));

    assert!(!links.consume(&[2; 32], link.expires_at).await.unwrap(), "it ran out");
    let setup = links.get(&[2; 32]).await.unwrap().unwrap();
    assert_eq!((setup.kind, setup.operator, setup.used_at), (LinkKind::Setup, None, None));
}
