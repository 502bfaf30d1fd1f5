//! `serve` and `demo` as processes: how they begin, what they refuse, how they end.

use super::cli::{Desk, points, source};
use crate::eventually::eventually;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// A running console. Dropping it ends it.
pub(super) struct Console {
    child: Child,
    out: BufReader<ChildStdout>,
    /// `127.0.0.1:40123`
    address: String,
}

impl Console {
    /// Started, and past its first line.
    pub(super) fn start(desk: &Desk, arguments: &[&str]) -> Self {
        Self::spawn(&mut desk.command(arguments))
    }

    fn spawn(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let Some(address) = line.trim().strip_prefix("Oncewatch listens on http://") else {
            let mut err = String::new();
            child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
            panic!("{line}{err}");
        };
        Self { address: address.to_owned(), child, out }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line
    }

    async fn status(&self, path: &str) -> u16 {
        let client = server::telemetry::http_client(Duration::from_secs(2), Duration::from_secs(10)).unwrap();
        client.get(format!("http://{}{path}", self.address)).send().await.unwrap().status().as_u16()
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &pid]).status().unwrap().success());
    }

    /// Its exit code and what it wrote to standard error.
    pub(super) fn end(mut self, signal: &str) -> (Option<i32>, String) {
        self.signal(signal);
        let mut err = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        (self.child.wait().unwrap().code(), err)
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        // It has ended already where a test waited for it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// [`points`] on a port of the kernel's choice, with this configuration besides.
async fn serving(besides: &str) -> Desk {
    let desk = points().await;
    let listen = if besides.contains("listen") { "" } else { "server.listen = '127.0.0.1:0'\n" };
    desk.configure(&format!("{besides}\n{listen}{}", source("points", "sqlite://points.db")));
    desk
}

#[tokio::test]
async fn a_first_start_makes_a_link_and_a_signal_ends_it() {
    let desk = serving("").await;
    let mut console = Console::start(&desk, &["serve"]);
    let link = console.line();
    let link = link.trim().rsplit(' ').next().unwrap().to_owned();
    assert!(link.starts_with(&format!("http://{}/link/", console.address)), "{link}");
    assert_eq!(console.status("/healthz").await, 200);
    assert_eq!(console.status("/s/points/overview").await / 100, 3, "nobody is signed in");
    let (code, err) = console.end("TERM");
    assert_eq!(code, Some(0), "{err}");
    let secret = link.rsplit('/').next().unwrap();
    assert!(!err.contains(secret), "{err}");

    assert_eq!(desk.run_with_input(&["operator", "add", "lin"], "correct horse battery\n").code, 0);
    let console = Console::start(&desk, &["serve"]);
    let address = console.address.clone();
    let (code, err) = console.end("INT");
    assert_eq!(code, Some(0), "{err}");
    assert!(std::net::TcpStream::connect(address).is_err());
}

#[tokio::test]
async fn a_second_server_on_one_file_is_refused() {
    let desk = serving("").await;
    let console = Console::start(&desk, &["serve"]);
    insta::assert_snapshot!(desk.run(&["serve"]).one_line(1), @"error: state.url is sqlite://oncewatch.db: the state database is locked by another process: another server uses oncewatch.db; stop it, or give this one its own file in state.url (several servers share PostgreSQL or MySQL)");
    // A command shares the file with the server.
    assert_eq!(desk.run(&["token", "list"]).code, 0);
    assert_eq!(desk.run(&["check"]).code, 0);
    let (code, err) = console.end("KILL");
    assert_eq!(code, None, "{err}");
    // The lock goes with the process, however it ended.
    drop(Console::start(&desk, &["serve"]));
}

#[tokio::test]
async fn the_world_is_not_listened_to_before_there_is_an_operator() {
    let desk = serving("server.listen = '0.0.0.0:0'").await;
    insta::assert_snapshot!(desk.run(&["serve"]).one_line(2), @r#"error: server.listen: found 0.0.0.0:0, which is not loopback, while no operator account exists; make one with "oncewatch operator add NAME", or listen on 127.0.0.1"#);
    assert_eq!(desk.run_with_input(&["operator", "add", "lin"], "correct horse battery\n").code, 0);
    let console = Console::start(&desk, &["serve"]);
    assert!(console.address.starts_with("0.0.0.0:"));
}

#[tokio::test]
async fn a_port_that_is_taken_is_said_in_one_line() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let _holder = TcpListener::bind(taken).unwrap();
    let desk = serving(&format!("server.listen = '{taken}'")).await;
    insta::assert_snapshot!(desk.run(&["serve"]).one_line(1).replace(&taken.port().to_string(), "PORT"), @"error: 127.0.0.1:PORT cannot be listened on (Address already in use (os error 98)); stop what uses it, or listen elsewhere (server.listen; demo: --listen)");
}

#[tokio::test]
async fn a_source_that_is_down_keeps_nobody_from_starting() {
    let desk = serving("").await;
    desk.configure(&format!(
        "server.listen = '127.0.0.1:0'\n{}",
        source("points", "mysql://console:s3cret@127.0.0.1:1/points")
    ));
    let console = Console::start(&desk, &["serve"]);
    assert_eq!(console.status("/healthz").await, 200);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (code, err) = console.end("TERM");
    assert_eq!(code, Some(0), "{err}");
    assert!(!err.contains("s3cret"), "{err}");
}

#[tokio::test]
async fn a_demonstration_runs_on_real_stores_and_leaves_nothing_behind() {
    let desk = Desk::new("");
    let folder = desk.path().join("tmp");
    std::fs::create_dir(&folder).unwrap();
    let mut command = desk.command(&["demo", "--listen", "127.0.0.1:0"]);
    command.env("TMPDIR", &folder).env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    let mut console = Console::spawn(&mut command);
    let link = console.line();
    assert!(link.contains("/link/"), "{link}");
    assert_eq!(console.status("/readyz").await, 200);
    let (code, err) = console.end("INT");
    assert_eq!(code, Some(0), "{err}");
    // The services remove their own folders a moment after.
    eventually(async || std::fs::read_dir(&folder).unwrap().collect::<Vec<_>>(), Vec::is_empty).await;
}
