//! Who gets in, and who does not.

use crate::console::{Console, PASSWORD, SOURCE, anonymous, bearer, browser};
use app::model::Role;
use axum::body::Body;
use axum::http::{Method, StatusCode, header};
use futures::future::join_all;
use server::auth::{NewToken, hash_password, new_setup_link, new_signin_link, new_token};
use sqlx::Row;
use std::time::Duration;

fn path(url: &str) -> String {
    url::Url::parse(url).unwrap().path().to_owned()
}

async fn sign_in(console: &Console, name: &str, password: &str) -> crate::console::Answer {
    console.post(&anonymous(), "/signin", &[("name", name), ("password", password), ("next", "/settings")]).await
}

#[tokio::test]
async fn name_and_password_open_a_session_until_signing_out() {
    let console = Console::start().await;
    console.add_operator("lin.wei", Role::Viewer).await;

    let entered = sign_in(&console, "lin.wei", PASSWORD).await;
    assert_eq!((entered.status, entered.header("location")), (StatusCode::SEE_OTHER, "/settings"));
    let cookie = entered.header("set-cookie");
    for part in ["HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Secure") && !cookie.contains("Max-Age"), "{cookie}");

    let lin = browser(&entered.cookie("oncewatch_session").unwrap());
    assert_eq!(console.get(&lin, "/settings").await.status, StatusCode::OK);
    assert_eq!(console.get(&lin, "/signin?next=/settings").await.header("location"), "/settings");

    let left = console.post(&lin, "/signout", &[]).await;
    assert_eq!((left.status, left.header("location")), (StatusCode::SEE_OTHER, "/signin"));
    let again = console.get(&lin, "/settings").await;
    assert_eq!(again.header("location"), "/signin?next=%2Fsettings&over=1");
}

#[tokio::test]
async fn whoever_asks_for_it_stays_signed_in_for_a_week() {
    let console = Console::start().await;
    console.add_operator("lin.wei", Role::Viewer).await;
    let form = [("name", "lin.wei"), ("password", PASSWORD), ("keep", "on")];
    let entered = console.post(&anonymous(), "/signin", &form).await;
    assert!(entered.header("set-cookie").contains("Max-Age=6047"), "{}", entered.header("set-cookie"));
    let lin = browser(&entered.cookie("oncewatch_session").unwrap());
    console.clock.advance(Duration::from_secs(6 * 86_400));
    assert_eq!(console.get(&lin, "/settings").await.status, StatusCode::OK);
    console.clock.advance(Duration::from_secs(86_400));
    assert_eq!(console.get(&lin, "/settings").await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn under_https_the_cookie_is_secure_and_hsts_is_sent() {
    let console = Console::with("[server]\npublic_url = \"https://ops.example.com\"").await;
    console.add_operator("lin.wei", Role::Viewer).await;
    let entered = sign_in(&console, "lin.wei", PASSWORD).await;
    assert!(entered.header("set-cookie").contains("Secure"));
    assert_eq!(entered.header("strict-transport-security"), "max-age=31536000");
}

#[tokio::test]
async fn after_signing_in_nobody_is_led_to_another_site() {
    let console = Console::start().await;
    console.add_operator("lin.wei", Role::Viewer).await;
    for next in ["https://evil.example", "//evil.example", "/\\evil.example"] {
        let form = [("name", "lin.wei"), ("password", PASSWORD), ("next", next)];
        let answer = console.post(&anonymous(), "/signin", &form).await;
        assert_eq!(answer.header("location"), "/", "{next}");
    }
}

#[tokio::test]
async fn wrong_names_and_wrong_passwords_sound_the_same() {
    let console = Console::start().await;
    console.add_operator("lin.wei", Role::Viewer).await;
    let wrong = sign_in(&console, "lin.wei", "another long password").await;
    let unknown = sign_in(&console, "wei.lin", PASSWORD).await;
    assert_eq!((wrong.status, unknown.status), (StatusCode::UNAUTHORIZED, StatusCode::UNAUTHORIZED));
    assert!(wrong.body.contains("Name or password is wrong."), "{}", wrong.body);
    assert!(unknown.body.contains("Name or password is wrong."), "{}", unknown.body);
    assert!(wrong.cookie("oncewatch_session").is_none());
}

#[tokio::test]
async fn many_tries_have_to_wait_and_no_account_is_locked() {
    let console = Console::start().await;
    console.add_operator("lin.wei", Role::Viewer).await;
    for left in (0..5).rev() {
        let answer = sign_in(&console, "lin.wei", "another long password").await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
        let says = format!("{left} more {}", if left == 1 { "try" } else { "tries" });
        assert!(answer.body.contains(&says), "{says}: {}", answer.body);
    }
    let waits = sign_in(&console, "lin.wei", PASSWORD).await;
    assert_eq!(waits.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(waits.body.contains("Accounts are not locked."), "{}", waits.body);
    let seconds: u64 = waits.header("retry-after").parse().unwrap();
    assert!((1..=30).contains(&seconds), "{seconds}");

    console.clock.advance(Duration::from_secs(seconds));
    assert_eq!(sign_in(&console, "lin.wei", PASSWORD).await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn behind_a_proxy_another_address_is_not_held_back() {
    for (top, expected) in [
        ("[server]\npublic_url = \"http://localhost:8080\"", StatusCode::SEE_OTHER),
        ("", StatusCode::TOO_MANY_REQUESTS),
    ] {
        assert_eq!(from_elsewhere(&Console::with(top).await).await, expected, "{top}");
    }
}

/// After too many tries here; without a proxy the header is an invention.
async fn from_elsewhere(console: &Console) -> StatusCode {
    console.add_operator("lin.wei", Role::Viewer).await;
    for _ in 0..6 {
        sign_in(console, "lin.wei", "another long password").await;
    }
    let form = format!("name=lin.wei&password={}", PASSWORD.replace(' ', "+"));
    let request = console
        .request(&anonymous(), Method::POST, "/signin")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header("x-forwarded-for", "203.0.113.9, 10.4.2.19");
    console.send(request.body(Body::from(form)).unwrap()).await.status
}

#[tokio::test]
async fn sessions_end_without_use_and_move_on_with_it() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    let idle = console.system.config.limits.session_idle;
    console.clock.advance(idle / 2 + Duration::from_secs(60));
    assert_eq!(console.get(&lin, "/settings").await.status, StatusCode::OK);
    console.clock.advance(idle / 2 + Duration::from_secs(60));
    assert_eq!(console.get(&lin, "/settings").await.status, StatusCode::OK, "it was used in between");
    console.clock.advance(idle + Duration::from_secs(1));
    assert_eq!(console.get(&lin, "/settings").await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn sessions_end_after_a_day_however_busy() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    let step = console.system.config.limits.session_idle / 2;
    let mut passed = Duration::ZERO;
    while passed + step < Duration::from_secs(24 * 3_600) {
        console.clock.advance(step);
        passed += step;
        assert_eq!(console.get(&lin, "/settings").await.status, StatusCode::OK, "{passed:?}");
    }
    console.clock.advance(Duration::from_secs(24 * 3_600) - passed);
    assert_eq!(console.get(&lin, "/settings").await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn a_new_password_ends_the_operators_sessions() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    let other = console.signed_in("ren.na", Role::Viewer).await;
    let hash = hash_password("quite another password").unwrap();
    assert!(console.system.state.operators.set_password("lin.wei", &hash).await.unwrap());
    assert_eq!(console.get(&lin, "/settings").await.status, StatusCode::SEE_OTHER);
    assert_eq!(console.get(&other, "/settings").await.status, StatusCode::OK);
}

#[tokio::test]
async fn the_state_database_holds_no_secret() {
    let console = Console::start().await;
    console.add_operator("lin.wei", Role::Admin).await;
    let session = sign_in(&console, "lin.wei", PASSWORD).await.cookie("oncewatch_session").unwrap();
    let link = new_signin_link(&console.system, "lin.wei").await.unwrap().url;
    let new = NewToken { name: "ci", role: Role::Viewer, source: None, expires_at: None };
    let token = new_token(&console.system.state, console.system.clock.now(), new).await.unwrap();
    assert!(token.starts_with("ow_") && session.len() == 43, "{token} {session}");

    let everything = console.dump_state().await;
    assert!(everything.contains("lin.wei") && everything.contains("$argon2id$"));
    for secret in [session.as_str(), &token, &token[3..], link.rsplit('/').next().unwrap(), PASSWORD] {
        assert!(!everything.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn a_setup_link_makes_the_first_admin_once() {
    let console = Console::start().await;
    let link = path(&new_setup_link(&console.system).await.unwrap().url);
    let spare = path(&new_setup_link(&console.system).await.unwrap().url);

    for _ in 0..2 {
        let looked = console.get(&anonymous(), &link).await;
        assert_eq!(looked.status, StatusCode::OK, "looking consumes nothing");
        assert!(looked.body.contains("Create the first operator"), "{}", looked.body);
    }
    for (name, password) in [("Lin Wei", PASSWORD), ("lin.wei", "too short")] {
        let refused = console.post(&anonymous(), &link, &[("name", name), ("password", password)]).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{name}");
    }

    let made = console.post(&anonymous(), &link, &[("name", "lin.wei"), ("password", PASSWORD)]).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.body);
    let lin = browser(&made.cookie("oncewatch_session").unwrap());
    assert_eq!(console.get(&lin, "/settings").await.status, StatusCode::OK);
    assert_eq!(console.system.state.operators.get("lin.wei").await.unwrap().unwrap().role, Role::Admin);

    for ended in [&link, &spare] {
        let answer = console.post(&anonymous(), ended, &[("name", "ren.na"), ("password", PASSWORD)]).await;
        assert_eq!(answer.status, StatusCode::GONE, "{}", answer.body);
        assert_eq!(console.get(&anonymous(), ended).await.status, StatusCode::GONE);
    }
}

#[tokio::test]
async fn of_twenty_who_use_a_link_at_once_one_gets_in() {
    let console = Console::start().await;
    console.add_operator("lin.wei", Role::Viewer).await;
    let link = path(&new_signin_link(&console.system, "lin.wei").await.unwrap().url);
    let nobody = anonymous();
    let answers = join_all((0..20).map(|_| console.post(&nobody, &link, &[]))).await;
    let entered: Vec<_> = answers.iter().filter(|answer| answer.status == StatusCode::SEE_OTHER).collect();
    assert_eq!(entered.len(), 1);
    assert!(entered[0].cookie("oncewatch_session").is_some());
    assert!(answers.iter().all(|answer| matches!(answer.status, StatusCode::SEE_OTHER | StatusCode::GONE)));
}

#[tokio::test]
async fn links_end_by_themselves_and_unknown_ones_are_none() {
    let console = Console::start().await;
    console.add_operator("lin.wei", Role::Viewer).await;
    let link = path(&new_signin_link(&console.system, "lin.wei").await.unwrap().url);
    console.clock.advance(Duration::from_secs(31 * 60));
    assert_eq!(console.get(&anonymous(), &link).await.status, StatusCode::GONE);
    assert_eq!(console.post(&anonymous(), &link, &[]).await.status, StatusCode::GONE);
    assert_eq!(console.get(&anonymous(), "/link/nothing").await.status, StatusCode::NOT_FOUND);
    assert!(new_signin_link(&console.system, "nobody").await.is_err());
}

#[tokio::test]
async fn tokens_open_what_their_role_and_source_allow_until_they_end() {
    let console = Console::start().await;
    let all = console.token("all", Role::Viewer, None).await;
    let ours = console.token("ours", Role::Viewer, Some(SOURCE)).await;
    let other = console.token("other", Role::Viewer, Some("orders")).await;

    for path in ["/api/settings", "/api/sources", "/metrics", "/api/sources/points/overview"] {
        assert_eq!(console.get(&all, path).await.status, StatusCode::OK, "{path}");
    }
    assert_eq!(console.get(&ours, "/api/sources/points/overview").await.status, StatusCode::OK);
    for path in ["/api/settings", "/api/settings?source=points", "/metrics", "/api/sources/orders/overview"] {
        assert_eq!(console.get(&ours, path).await.status, StatusCode::FORBIDDEN, "{path}");
    }
    assert_eq!(console.get(&other, "/api/sources/points/overview").await.status, StatusCode::FORBIDDEN);
    assert_eq!(console.get(&other, "/api/events?source=points").await.status, StatusCode::FORBIDDEN);
    assert_eq!(console.get(&other, "/api/sources").await.json()["items"], serde_json::json!([]));
    assert_eq!(console.get(&ours, "/api/sources").await.json()["items"][0]["name"], SOURCE);

    assert_eq!(console.get(&all, "/settings").await.status, StatusCode::SEE_OTHER, "tokens open no page");
    assert_eq!(console.get(&bearer("ow_wrong"), "/api/settings").await.status, StatusCode::UNAUTHORIZED);
    console.clock.advance(Duration::from_secs(3_601));
    assert_eq!(console.get(&all, "/api/settings").await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_wrong_token_does_not_fall_back_on_the_cookie() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Admin).await;
    let request = console.request(&lin, Method::GET, "/api/settings").header(header::AUTHORIZATION, "Bearer ow_wrong");
    assert_eq!(console.send(request.body(Body::empty()).unwrap()).await.status, StatusCode::UNAUTHORIZED);
}

impl Console {
    /// Every cell of every table of the console's own state, as text.
    async fn dump_state(&self) -> String {
        let pool = sqlx::SqlitePool::connect(self.system.config.state.url.expose()).await.unwrap();
        let tables = sqlx::query("SELECT name FROM sqlite_master WHERE type = 'table'").fetch_all(&pool).await.unwrap();
        let mut everything = String::new();
        for table in tables {
            let name: String = table.get(0);
            let columns = sqlx::query(sqlx::AssertSqlSafe(format!("SELECT name FROM pragma_table_info('{name}')")));
            for column in columns.fetch_all(&pool).await.unwrap() {
                let column: String = column.get(0);
                let cells = format!("SELECT CAST(\"{column}\" AS BLOB) FROM \"{name}\"");
                for cell in sqlx::query(sqlx::AssertSqlSafe(cells)).fetch_all(&pool).await.unwrap() {
                    let bytes = cell.get::<Option<Vec<u8>>, _>(0).unwrap_or_default();
                    everything.push_str(&String::from_utf8_lossy(&bytes));
                    everything.push('\n');
                }
            }
        }
        pool.close().await;
        everything
    }
}
