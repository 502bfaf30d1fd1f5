//! Services end with the process that started them, however it ends.
#![allow(clippy::unwrap_used, reason = "a test may fail by it")]

use lab::guard::{Guard, Invocation};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

fn shell(script: &str) -> Invocation {
    Invocation { command: ["sh", "-c", script].map(Into::into).into(), environment: Vec::new(), signal: "TERM" }
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    let wait = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), wait).await.unwrap_or_else(|_| panic!("not within 30 s: {what}"));
}

/// Zombies count as ended: whoever adopts them may be slow to collect them.
fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    stat.is_ok_and(|stat| !stat.rsplit(')').next().unwrap().trim_start().starts_with('Z'))
}

/// `lab run` that is killed while its command tells where its Redis is.
#[tokio::test]
async fn a_killed_process_leaves_no_service_and_no_folder() -> anyhow::Result<()> {
    let script = r#"redis-cli -u "$LAB_REDIS_URL" info server | tr -d '\r' | sed -n 's/^process_id://p'
                    redis-cli -u "$LAB_REDIS_URL" config get dir | tail -1; read -r _"#;
    let mut owner = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(["run", "--only", "redis", "--", "sh", "-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut said = BufReader::new(owner.stdout.take().unwrap()).lines();
    let (pid, folder) = (said.next_line().await?.unwrap(), said.next_line().await?.unwrap());
    assert!(runs(&pid) && Path::new(&folder).is_dir(), "{pid} {folder}");

    owner.kill().await?; // SIGKILL: no destructor runs

    until("Redis ends", || !runs(&pid)).await;
    until("its folder is gone", || !Path::new(&folder).exists()).await;
    Ok(())
}

#[tokio::test]
async fn a_dropped_service_leaves_no_process_and_no_folder() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?.keep();
    let guard = Guard::start(&shell("echo $$ >pid; exec sleep 60"), &folder)?;
    until("the service has written its id", || folder.join("pid").exists()).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let pid = std::fs::read_to_string(folder.join("pid"))?.trim().to_owned();

    drop(guard);

    until("the service ends", || !runs(&pid)).await;
    until("its folder is gone", || !folder.exists()).await;
    Ok(())
}

#[tokio::test]
async fn stopping_lets_the_service_finish_and_keeps_its_folder() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let script = "trap 'echo finished >end; exit' TERM; echo >ready; while :; do sleep 0.05; done";
    let guard = Guard::start(&shell(script), folder.path())?;
    until("the service is ready", || folder.path().join("ready").exists()).await;

    guard.stop().await?;

    assert_eq!(std::fs::read_to_string(folder.path().join("end"))?, "finished\n");
    Ok(())
}

#[tokio::test]
async fn an_early_death_is_told_with_the_end_of_the_log() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let mut guard = Guard::start(&shell("echo the disk is full >&2; exit 3"), folder.path())?;
    let mut error = None;
    for _ in 0..200 {
        error = guard.check().err();
        if error.is_some() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let error = error.expect("its end was not noticed").to_string();
    assert!(error.contains("exit status: 3") && error.contains("the disk is full"), "{error}");
    Ok(())
}

#[tokio::test]
async fn the_command_of_lab_run_decides_the_exit_code() -> anyhow::Result<()> {
    let lab = || Command::new(env!("CARGO_BIN_EXE_lab"));
    let run = async |script: &str| lab().args(["run", "--only", "redis", "--", "sh", "-c", script]).status().await;
    assert_eq!(run("exit 0").await?.code(), Some(0));
    assert_eq!(run("exit 7").await?.code(), Some(7));
    assert_eq!(run("kill -TERM $$").await?.code(), Some(143));
    assert_eq!(lab().arg("walk").stderr(Stdio::null()).status().await?.code(), Some(2));
    Ok(())
}
