//! Percona's archiver in the way that its manual calls the fastest: whole chunks by `LOAD DATA` and one `DELETE`.

use super::archiving::{ARCHIVE, CHUNK};
use super::table::Table;
use std::process::Stdio;
use tokio::process::Command;

/// Moves what is finished up to this id.
pub async fn run(table: &Table, to: u64) {
    let url = url::Url::parse(table.url()).expect("an address");
    let address = format!(
        "h={},P={},u={},p={},D={},L=1",
        url.host_str().expect("a host"),
        url.port().expect("a port"),
        url.username(),
        url.password().unwrap_or_default(),
        url.path().trim_start_matches('/'),
    );
    let ended = Command::new("pt-archiver")
        .arg("--source")
        .arg(format!("{address},t=idempotent_record,i=PRIMARY"))
        .arg("--dest")
        .arg(format!("{address},t={ARCHIVE}"))
        .args(["--where", &format!("status = 2 AND id <= {to}"), "--limit", &CHUNK.to_string()])
        .args(["--bulk-insert", "--bulk-delete", "--commit-each", "--no-check-charset", "--no-version-check"])
        .stdin(Stdio::null())
        .output()
        .await
        .expect("pt-archiver is there: package percona-toolkit");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}
