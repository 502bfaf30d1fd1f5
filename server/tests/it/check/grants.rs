//! What the account may do.

use super::{Engine, Site};
use crate::cli::source;
use serde_json::json;

/// An account of its own, that may do nothing yet, and the source's URL with it.
async fn newcomer(site: &Site) -> (String, String) {
    let name = format!("console_{}", uuid::Uuid::new_v4().simple());
    let mut url: url::Url = site.database.url.parse().unwrap();
    url.set_username(&name).unwrap();
    url.set_password(Some("pw")).unwrap();
    match site.engine {
        Engine::Mariadb => site.run(&format!("CREATE USER {name}@'127.0.0.1' IDENTIFIED BY 'pw'")).await,
        Engine::Postgres => site.run(&format!("CREATE ROLE {name} LOGIN PASSWORD 'pw'")).await,
        Engine::Sqlite => unreachable!("a file has no accounts"),
    }
    site.desk.configure(&source("points", url.as_str()));
    (name, url.path().trim_start_matches('/').to_owned())
}

#[tokio::test]
async fn a_missing_grant_is_named_with_the_statement_that_mends_it() {
    for engine in [Engine::Mariadb, Engine::Postgres] {
        let site = Site::new(engine).await;
        site.insert("'a'", "'ORDER'", "2", -5).await;
        let (name, database) = newcomer(&site).await;
        // Some columns only; in MariaDB the others are then not even shown.
        let to = if engine == Engine::Mariadb { format!("{name}@'127.0.0.1'") } else { name };
        site.run(&format!("GRANT SELECT (id, biz_id, biz_type) ON idempotent_record TO {to}")).await;
        let found = site.check();
        assert_eq!(found.code, 1);
        let statement = found.problem("missing_grant")["statement"].as_str().unwrap().to_owned();
        let columns = if engine == Engine::Mariadb {
            "(`create_time`, `update_time`, `status`)"
        } else {
            r#"("create_time", "update_time", "status")"#
        };
        assert!(statement.starts_with(&format!("GRANT SELECT {columns} ON ")), "{statement}");
        site.run(&statement).await;
        let mended = site.check();
        assert_eq!((mended.problems(), mended.note("may_write")), (Vec::new(), None), "{engine:?} {:?}", mended.notes);

        // Nothing at all.
        let (name, _) = newcomer(&site).await;
        let to = if engine == Engine::Mariadb { format!("{name}@'127.0.0.1'") } else { name };
        if engine == Engine::Mariadb {
            site.run(&format!("CREATE TABLE other (id INT);\nGRANT SELECT ON {database}.other TO {to}")).await;
        }
        let found = site.check();
        let statement = found.problem("missing_grant")["statement"].as_str().unwrap().to_owned();
        assert!(statement.starts_with("GRANT SELECT ON "), "{statement}");
        site.run(&statement).await;
        assert_eq!(site.check().problems(), [] as [&str; 0], "{engine:?}");

        // More than enough is a note.
        site.run(&format!("GRANT INSERT, DELETE ON idempotent_record TO {to}")).await;
        let more = site.check();
        let may_write = json!({ "code": "may_write", "privileges": ["INSERT", "DELETE"] });
        assert_eq!((more.code, more.note("may_write")), (0, Some(&may_write)), "{engine:?}");
    }
}

#[tokio::test]
async fn a_schema_that_may_not_be_used_and_ids_that_may_not_be_asked() {
    let site = Site::new(Engine::Postgres).await;
    let (name, _) = newcomer(&site).await;
    site.run(&format!(
        "CREATE SCHEMA team;
         CREATE TABLE team.idempotent_record (id smallserial PRIMARY KEY, biz_id text, biz_type text, status int,
             create_time timestamp, update_time timestamp, UNIQUE (biz_type, biz_id));
         INSERT INTO team.idempotent_record VALUES (30000, 'a', 'b', 2, now(), now());
         GRANT SELECT ON team.idempotent_record TO {name}"
    ))
    .await;
    let configuration = std::fs::read_to_string(site.desk.path().join("oncewatch.toml")).unwrap();
    site.desk.configure(&format!("{configuration}table = 'team.idempotent_record'\n"));
    let found = site.check();
    let usage = format!("GRANT USAGE ON SCHEMA \"team\" TO \"{name}\"");
    assert_eq!(found.problem("missing_grant")["statement"], usage);
    site.run(&usage).await;
    // The sequence is not this account's to ask: the largest id speaks for it.
    assert_eq!(site.check().problems(), ["ids_near_end"]);
}
