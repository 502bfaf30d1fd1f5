//! What is refused, and by which words.

use super::site::{ARCHIVE, KEEP, OLD, Site, TABLE};
use crate::team::{Engine, Index, Team};
use app::model::{ArchiveRefusal, Lang, Pk};
use server::action::archive::NotBegun;
use server::config::{Environment, from_toml};

crate::team::on_every_engine!(
    an_archive_that_is_not_there_is_made_when_asked,
    an_archive_that_does_not_fit_is_refused,
    a_cascading_foreign_key_is_refused,
    a_delete_trigger_is_refused,
    a_table_without_identity_or_time_is_refused,
    an_account_without_the_right_is_told_the_grant,
);

fn codes(refusals: &[ArchiveRefusal]) -> Vec<String> {
    let code = |refusal| serde_json::to_value(refusal).unwrap()["code"].as_str().unwrap().to_owned();
    refusals.iter().map(code).collect()
}

async fn an_archive_that_is_not_there_is_made_when_asked(engine: Engine) {
    let site = Site::without_archive(engine, "keep = \"7d\"").await;
    site.insert(1, "k1", 2, OLD).await;
    let examined = site.examine().await;
    let [ArchiveRefusal::ArchiveMissing { table, ddl }] = examined.refusals.as_slice() else { panic!("{examined:?}") };
    assert_eq!(table, ARCHIVE);
    assert!(ddl[0].starts_with("CREATE TABLE") && !ddl.concat().contains("UNIQUE"), "{ddl:?}");
    let refused = site.begin().await;
    assert!(matches!(refused, Err(NotBegun::Archive(ArchiveRefusal::ArchiveMissing { .. }))), "{refused:?}");
    // What was shown is what a person may run as well.
    for statement in ddl {
        site.team.sql(statement).await;
    }
    assert_eq!(site.examine().await.refusals, []);
    assert_eq!(site.shift(&[1]).await.unwrap().moved, 1);
    // The same key, and the same id: both recur.
    site.insert(1, "k1", 2, OLD).await;
    assert_eq!(site.shift(&[1]).await.unwrap().moved, 1);
    assert_eq!(site.ids().await, (vec![], vec![1, 1]));
}

async fn an_archive_that_does_not_fit_is_refused(engine: Engine) {
    let site = Site::new(engine).await;
    site.team.sql(&format!("ALTER TABLE {ARCHIVE} DROP COLUMN update_time")).await;
    assert_eq!(codes(&site.examine().await.refusals), ["archive_lacks_column"]);
    let wrong = if engine == Engine::Mariadb { "TIMESTAMP NULL" } else { "INTEGER" };
    site.team.sql(&format!("ALTER TABLE {ARCHIVE} ADD COLUMN update_time {wrong}")).await;
    let refusals = site.examine().await.refusals;
    assert_eq!(codes(&refusals), ["archive_column_differs"], "{refusals:?}");
    // As people make archives: with the unique key.
    site.team.sql(&format!("DROP TABLE {ARCHIVE}")).await;
    site.team.sql(&site.team.table(ARCHIVE)).await;
    let refusals = site.examine().await.refusals;
    assert_eq!(codes(&refusals), ["archive_key_unique"], "{refusals:?}");
    let said = app::words::archive::refusal(Lang::En, &refusals[0]);
    assert!(said.contains("keys recur"), "{said}");
}

async fn a_cascading_foreign_key_is_refused(engine: Engine) {
    let site = Site::new(engine).await;
    let id = if engine == Engine::Mariadb { "BIGINT UNSIGNED" } else { "BIGINT" };
    let child = |name: &str, rule: &str| {
        format!("CREATE TABLE {name} (record {id}, FOREIGN KEY (record) REFERENCES {TABLE} (id) {rule})")
    };
    site.team.sql(&child("harmless", "ON DELETE RESTRICT")).await;
    assert_eq!(site.examine().await.refusals, []);
    site.team.sql(&child("effects", "ON DELETE CASCADE")).await;
    assert_eq!(codes(&site.examine().await.refusals), ["cascading_foreign_key"]);
    site.team.sql("DROP TABLE effects").await;
    site.team.sql(&child("effects", "ON DELETE SET NULL")).await;
    let refusals = site.examine().await.refusals;
    assert!(
        matches!(refusals.as_slice(), [ArchiveRefusal::CascadingForeignKey { name, .. }] if name.contains("effects")),
        "{refusals:?}"
    );
}

async fn a_delete_trigger_is_refused(engine: Engine) {
    let site = Site::new(engine).await;
    site.team.sql("CREATE TABLE seen (id BIGINT)").await;
    let trigger = |name: &str, event: &str| {
        match engine {
        Engine::Sqlite => {
            format!("CREATE TRIGGER {name} AFTER {event} ON {TABLE} BEGIN INSERT INTO seen VALUES (1); END")
        }
        Engine::Mariadb => format!("CREATE TRIGGER {name} AFTER {event} ON {TABLE} FOR EACH ROW INSERT INTO seen VALUES (1)"),
        Engine::Postgres => format!(
            "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO seen VALUES (1); RETURN NULL; END $$;
             CREATE TRIGGER {name} AFTER {event} ON {TABLE} FOR EACH ROW EXECUTE FUNCTION {name}()"
        ),
    }
    };
    site.team.sql(&trigger("on_insert", "INSERT")).await;
    assert_eq!(site.examine().await.refusals, [], "nothing is inserted here");
    let back = site.archiver().examine_back(TABLE).await.unwrap();
    assert!(matches!(back.as_slice(), [ArchiveRefusal::Trigger { name, .. }] if name == "on_insert"), "{back:?}");
    site.team.sql(&trigger("on_delete", "DELETE")).await;
    let refusals = site.examine().await.refusals;
    assert!(
        matches!(refusals.as_slice(), [ArchiveRefusal::Trigger { name, .. }] if name == "on_delete"),
        "{refusals:?}"
    );
}

async fn a_table_without_identity_or_time_is_refused(engine: Engine) {
    let site = Site::new(engine).await;
    site.team.sql(&format!("DROP TABLE {TABLE}")).await;
    let (text, time) =
        if engine == Engine::Mariadb { ("VARCHAR(64)", "DATETIME") } else { ("VARCHAR(64)", "timestamp") };
    site.team
        .sql(&format!(
            "CREATE TABLE {TABLE} (id BIGINT, biz_id {text}, biz_type {text}, status SMALLINT, create_time {time}, update_time {time})"
        ))
        .await;
    let refusals = site.examine().await.refusals;
    assert_eq!(codes(&refusals)[0], "no_primary_key", "{refusals:?}");

    let site = Site::new(engine).await;
    let lines = |line: &&str| !line.trim().starts_with("created =") && !line.trim().starts_with("updated =");
    let text: String = site.team.toml().lines().filter(lines).map(|line| format!("{line}\n")).collect();
    let config = from_toml(&text, &Environment::default()).unwrap();
    let clock = server::boot::clock();
    let archiver = server::adapters::records::archiver(&config.sources[0], &config.limits, clock).unwrap().unwrap();
    assert_eq!(codes(&archiver.examine(TABLE).await.unwrap().refusals), ["no_time"]);
    site.insert(1, "k1", 2, OLD).await;
    let shifted = archiver.shift(&site.permit().await, TABLE, KEEP, &[Pk::Int(1)]).await.unwrap();
    assert_eq!((shifted.moved, shifted.left.no_time), (0, 1), "without a time never");
}

async fn an_account_without_the_right_is_told_the_grant(engine: Engine) {
    let mut team = Team::new(engine, Index::None).await;
    let user = format!("w{}", &uuid::Uuid::new_v4().simple().to_string()[..20]);
    let database = team.database.url.rsplit('/').next().unwrap().split('?').next().unwrap().to_owned();
    match engine {
        Engine::Sqlite => return,
        Engine::Mariadb => {
            team.sql(&format!("CREATE USER '{user}'@'%' IDENTIFIED BY 'pw'")).await;
            team.sql(&format!("GRANT SELECT, UPDATE ON `{database}`.* TO '{user}'@'%'")).await;
        }
        Engine::Postgres => {
            team.sql(&format!("CREATE ROLE {user} LOGIN PASSWORD 'pw'")).await;
            team.sql(&format!("GRANT SELECT, UPDATE ON {TABLE} TO {user}")).await;
        }
    }
    let mut url = url::Url::parse(&team.database.url).unwrap();
    url.set_username(&user).unwrap();
    url.set_password(Some("pw")).unwrap();
    team.records_url = Some(url.to_string());
    let site = Site::of(team, "keep = \"7d\"").await;
    let refusals = site.examine().await.refusals;
    let grants: Vec<&String> = (refusals.iter())
        .filter_map(|refusal| match refusal {
            ArchiveRefusal::MissingGrant { statement } => Some(statement),
            _ => None,
        })
        .collect();
    assert!(grants.iter().any(|grant| grant.contains("DELETE") && grant.contains(TABLE)), "{refusals:?}");
    // The statement is the whole of what is missing on the table.
    for grant in grants {
        site.team.sql(grant).await;
    }
    let refusals = site.examine().await.refusals;
    assert_eq!(codes(&refusals), ["archive_missing"], "{refusals:?}");
}
