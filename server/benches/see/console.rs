//! A real `oncewatch serve`, and somebody who is signed in to it.

use super::measure::now;
use serde::de::DeserializeOwned;
use server::telemetry::http_client;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const OPERATOR: &str = "lin.wei";
const PASSWORD: &str = "correct horse battery staple";
/// What Chromium sends.
pub const ENCODINGS: &str = "gzip, deflate, br, zstd";
const ASK_EVERY: Duration = Duration::from_millis(100);
const PATIENCE: Duration = Duration::from_secs(300);
/// `sysconf(_SC_CLK_TCK)` of every Linux.
const TICKS_PER_SECOND: f64 = 100.0;

/// Dropping it kills it.
pub struct Console {
    process: Child,
    /// `http://127.0.0.1:40123`
    pub address: String,
    /// Of the session, as a browser sends it.
    pub cookie: String,
    pub client: reqwest::Client,
    folder: TempDir,
    _out: BufReader<ChildStdout>,
}

impl Console {
    /// `sources`: the `[[source]]` sections.
    pub async fn start(period: &str, sources: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let toml = format!(
            "[server]\nlisten = \"127.0.0.1:0\"\n[state]\nurl = \"sqlite://{}\"\n[collect]\nperiod = \"{period}\"\n{sources}",
            folder.path().join("console.db").display()
        );
        std::fs::write(folder.path().join("oncewatch.toml"), toml).expect("the configuration is written");
        add_operator(folder.path());
        let log = File::create(folder.path().join("log")).expect("a log");
        let mut process =
            command(folder.path(), &["serve"]).stdout(Stdio::piped()).stderr(log).spawn().expect("oncewatch starts");
        let mut out = BufReader::new(process.stdout.take().expect("piped"));
        let mut line = String::new();
        out.read_line(&mut line).expect("it says where it listens");
        let address = line.trim().strip_prefix("Oncewatch listens on ").map(str::to_owned);
        let client = http_client(Duration::from_secs(5), Duration::from_secs(60)).expect("a client");
        let mut console = Self { process, address: String::new(), cookie: String::new(), client, folder, _out: out };
        console.address = address.unwrap_or_else(|| panic!("{line}{}", console.log()));
        console.sign_in().await;
        console
    }

    async fn sign_in(&mut self) {
        let form = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("name", OPERATOR)
            .append_pair("password", PASSWORD)
            .finish();
        let asked = self
            .client
            .post(format!("{}/signin", self.address))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form);
        let answer = asked.send().await.expect("it answers");
        let cookie = answer.headers().get("set-cookie").and_then(|cookie| cookie.to_str().ok()?.split(';').next());
        self.cookie = cookie.unwrap_or_else(|| panic!("nobody was signed in: {}", answer.status())).to_owned();
    }

    pub fn ask(&self, path: &str) -> reqwest::RequestBuilder {
        self.client.get(format!("{}{path}", self.address)).header("cookie", &self.cookie)
    }

    pub async fn text(&self, path: &str) -> String {
        let answer = self.ask(path).send().await.unwrap_or_else(|error| panic!("{path}: {error}"));
        let (status, text) = (answer.status(), answer.text().await.expect("text"));
        assert!(status.is_success(), "{path}: {status} {text}");
        text
    }

    pub async fn json<T: DeserializeOwned>(&self, path: &str) -> T {
        let text = self.text(path).await;
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}: {text}"))
    }

    /// Asks again until it holds; a panic when it takes too long.
    pub async fn until<T: DeserializeOwned>(&self, what: &str, path: &str, holds: impl Fn(&T) -> bool) -> T {
        let began = now();
        loop {
            let seen = self.json(path).await;
            if holds(&seen) {
                return seen;
            }
            assert!(now() - began < PATIENCE, "{what} never came to hold; the log says\n{}", self.log());
            tokio::time::sleep(ASK_EVERY).await;
        }
    }

    /// Bytes of it in memory: now, and the most that there ever were.
    pub fn memory(&self) -> (u64, u64) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).expect("Linux says it");
        let of = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).expect(name);
            line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1_024
        };
        (of("VmRSS:"), of("VmHWM:"))
    }

    /// What it has used of the processors.
    pub fn worked(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id())).expect("Linux says it");
        // Behind its name, which may hold spaces, utime and stime are the 12th and 13th.
        let (_, rest) = stat.rsplit_once(')').expect("a name");
        let ticks: f64 = rest.split_whitespace().skip(11).take(2).map(|text| text.parse::<f64>().expect("ticks")).sum();
        Duration::from_secs_f64(ticks / TICKS_PER_SECOND)
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_else(|error| error.to_string())
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.process.kill().and_then(|()| self.process.wait()).expect("it ends");
    }
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oncewatch"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

fn add_operator(folder: &Path) {
    let mut add = command(folder, &["operator", "add", OPERATOR]);
    let mut child = add.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("oncewatch starts");
    writeln!(child.stdin.take().expect("piped"), "{PASSWORD}").expect("it reads the password");
    let ended = child.wait_with_output().expect("it ends");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}
