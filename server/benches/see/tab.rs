//! What a tab keeps: its heap after many live updates, in a real Chromium, by the script `heap` of end2end.

use super::console::Console;
use super::report::Line;
use super::setting::Setting;
use super::team::{Engine, Team, keep_working};
use serde::Deserialize;
use std::path::Path;
use tokio::process::Command;

/// The shortest period there is, and a source with as many panels as a tab follows: updates come eighteen times as often as
/// a source with one broker sends them at the default one.
const PERIOD: &str = "1s";
const STREAMS: usize = 13;
const MOST: f64 = 1.05;

/// What the script writes.
#[derive(Deserialize)]
struct Kept {
    before: Heap,
    after: Heap,
    updates: u32,
    seconds: f64,
}

/// In bytes, after collection.
#[derive(Deserialize)]
struct Heap {
    js: f64,
    wasm: f64,
    nodes: u32,
}

pub async fn measured(setting: &Setting) -> Vec<Line> {
    let redis = lab::services::redis::start().await.expect("Redis starts");
    let team = Team::new("tab", Engine::Mariadb, 200, &redis).await.at_work(STREAMS).await;
    let console = Console::start(PERIOD, &team.toml()).await;
    let kept = tokio::select! {
        kept = watched(&console, setting.updates) => kept,
        () = keep_working(&team) => unreachable!("it goes on and on"),
    };
    let mb = |bytes: f64| format!("{:.2} MB", bytes / 1e6);
    let updates = format!("{} live updates in {:.0} s", kept.updates, kept.seconds);
    vec![
        Line::ratio(
            "tab",
            format!("heap after {updates} / before, both after collection"),
            format!("{:.3} ({} / {})", kept.after.js / kept.before.js, mb(kept.after.js), mb(kept.before.js)),
            kept.after.js / kept.before.js,
            MOST,
        ),
        Line::promised(
            "tab",
            "memory of WebAssembly, after / before",
            format!("{} / {}", mb(kept.after.wasm), mb(kept.before.wasm)),
            "does not grow",
            kept.after.wasm <= kept.before.wasm,
        ),
        Line::promised(
            "tab",
            "nodes of the document and what it dropped, after / before",
            format!("{} / {}", kept.after.nodes, kept.before.nodes),
            format!("≤ {MOST} ×"),
            f64::from(kept.after.nodes) <= f64::from(kept.before.nodes) * MOST,
        ),
    ]
}

async fn watched(console: &Console, updates: u32) -> Kept {
    let end2end = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("end2end");
    let folder = tempfile::tempdir().expect("a folder");
    let said = folder.path().join("heap.json");
    let (name, secret) = console.cookie.split_once('=').expect("a cookie");
    let script = Command::new("npm")
        .args(["run", "--silent", "heap"])
        .current_dir(end2end)
        .env("HEAP_URL", &console.address)
        .env("HEAP_COOKIE", name)
        .env("HEAP_SECRET", secret)
        .env("HEAP_UPDATES", updates.to_string())
        .env("HEAP_SAYS", &said)
        .kill_on_drop(true)
        .output();
    let ended = script.await.expect("npm, which ./dev bench see installs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(ended.status.success(), "{}{}", text(&ended.stdout), text(&ended.stderr));
    let said = std::fs::read_to_string(said).expect("the script says what it found");
    serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"))
}
