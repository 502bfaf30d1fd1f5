//! What only an SQLite file can suffer: a second server, a writer that does not let go, a disk without room.

use super::{Engine, State, command, now, serve};
use app::model::Role;
use server::adapters::state::Opened;
use server::ports::state::{Begin, Operator, StateError};
use sqlx::{Connection, SqliteConnection};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn refusal(opened: Result<Opened, StateError>) -> StateError {
    opened.err().expect("it is refused")
}

fn path_of(url: &str) -> PathBuf {
    PathBuf::from(url.strip_prefix("sqlite://").unwrap().split('?').next().unwrap())
}

fn begin(operation_id: &str) -> Begin {
    Begin {
        operation_id: operation_id.to_owned(),
        operation: "release_lock".to_owned(),
        source: "points".to_owned(),
        actor: "ann".to_owned(),
        origin: "test".to_owned(),
        reason: "because".to_owned(),
        at: now(),
        target: "{}".to_owned(),
    }
}

#[tokio::test]
async fn a_second_server_is_refused_and_commands_are_not() {
    let database = Engine::Sqlite.database().await;
    let first = serve(&database.url).await.unwrap();
    let refused = refusal(serve(&database.url).await);
    assert!(matches!(refused, StateError::Locked(_)), "{refused:?}");
    let words = refused.to_string();
    assert!(words.contains(path_of(&database.url).to_str().unwrap()) && words.contains("state.url"), "{words}");

    let link = path_of(&database.url).with_extension("link");
    std::os::unix::fs::symlink(path_of(&database.url), &link).unwrap();
    let refused = refusal(serve(&format!("sqlite://{}", link.display())).await);
    assert!(matches!(refused, StateError::Locked(_)), "by another name: {refused:?}");

    let shared = command(&database.url).await.unwrap();
    first.stores.audit.begin(&begin("op-1")).await.unwrap();
    assert!(shared.audit.get("op-1").await.unwrap().is_some());
    drop(first);
    serve(&database.url).await.expect("the first one is gone");
}

#[tokio::test]
async fn a_server_in_another_process_is_seen_until_it_dies() {
    let database = Engine::Sqlite.database().await;
    let lock_file = format!("{}.lock", path_of(&database.url).display());
    let mut other = Command::new("flock")
        .args(["--no-fork", &lock_file, "sh", "-c", "echo locked; exec sleep 60"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    BufReader::new(other.stdout.take().unwrap()).read_line(&mut said).unwrap();
    assert_eq!(said, "locked\n");
    assert!(matches!(refusal(serve(&database.url).await), StateError::Locked(_)));

    other.kill().unwrap();
    other.wait().unwrap();
    serve(&database.url).await.expect("the system let go of the lock");
}

#[tokio::test]
async fn a_writer_that_does_not_let_go_costs_an_error_not_the_console() {
    let state = State::fresh(Engine::Sqlite).await;
    let mut other = SqliteConnection::connect(&state.database.url).await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let operation = begin("op-1");
    let (begun, lease, read) = tokio::join!(
        state.stores.audit.begin(&operation),
        state.stores.leases.acquire("collect", "here"),
        state.stores.audit.recent(None, 10),
    );
    assert!(matches!(begun, Err(StateError::Locked(_))), "{begun:?}");
    assert!(matches!(lease, Err(StateError::Locked(_))), "{lease:?}");
    assert!(read.unwrap().is_empty(), "readers do not wait");

    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    state.stores.audit.begin(&operation).await.unwrap();
    state.stores.leases.acquire("collect", "here").await.unwrap().expect("free");
}

/// A file system of two megabytes, gone when dropped.
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None` where mounting is not allowed.
    pub fn mount(at: &Path) -> Option<Self> {
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(at).output().unwrap();
        mounted.status.success().then(|| Self(at.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a pool may still be closing its files.
        Command::new("umount").arg("-l").arg(&self.0).status().unwrap();
    }
}

#[tokio::test]
async fn a_full_disk_costs_an_error_not_the_state() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(folder.path()) else {
        println!("not tested: mounting a small file system is not allowed here");
        return;
    };
    let ballast = disk.0.join("ballast");
    let url = format!("sqlite://{}", disk.0.join("state.db").display());
    let opened = serve(&url).await.unwrap();
    let stores = &opened.stores;
    let ann = Operator { name: "ann".to_owned(), role: Role::Admin, password_hash: None, created_at: now() };
    stores.operators.add(&ann).await.unwrap();

    std::fs::write(&ballast, vec![0; 1_000_000]).unwrap();
    let mut begun = 0;
    let refused = loop {
        let operation = Begin { target: "x".repeat(20_000), ..begin(&format!("op-{begun}")) };
        match stores.audit.begin(&operation).await {
            Ok(_) => begun += 1,
            Err(error) => break error,
        }
        assert!(begun < 100, "more was written than the disk can hold");
    };
    assert!(matches!(refused, StateError::Full(_)), "{refused:?}");
    assert!(begun > 0);
    assert_eq!(stores.audit.recent(None, 200).await.unwrap().len(), begun, "nothing is lost, nothing is half there");
    assert!(stores.operators.get("ann").await.unwrap().is_some());

    std::fs::remove_file(&ballast).unwrap();
    let operations: Vec<Begin> = (0..16).map(|n| begin(&format!("again-{n}"))).collect();
    let again = operations.iter().map(|operation| stores.audit.begin(operation));
    futures::future::try_join_all(again).await.expect("there is room again, for every connection of the pool");
    drop(opened);
    let again = command(&url).await.unwrap();
    assert_eq!(again.audit.recent(None, 200).await.unwrap().len(), begun + operations.len());
}

#[tokio::test]
async fn only_its_owner_reads_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let state = State::fresh(Engine::Sqlite).await;
    state.stores.audit.begin(&begin("op-1")).await.unwrap();
    let file = path_of(&state.database.url);
    for name in [file.clone(), PathBuf::from(format!("{}-wal", file.display()))] {
        assert_eq!(std::fs::metadata(&name).unwrap().permissions().mode() & 0o077, 0, "{}", name.display());
    }
}

#[tokio::test]
async fn what_is_no_file_is_refused_with_what_to_do() {
    for url in ["sqlite::memory:", "sqlite://:memory:", "sqlite://state.db?mode=memory", "oracle://db", "points.db"] {
        let words = refusal(serve(url).await).to_string();
        assert!(words.contains("state.url must"), "{words}");
    }
    let words = refusal(serve("sqlite:///nowhere/at/all/state.db").await).to_string();
    assert!(words.contains("/nowhere/at/all/state.db"), "{words}");
}
