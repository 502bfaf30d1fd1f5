//! A consumer made of the guide's files, as a process of its own.

use lab::Program;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

pub const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/instrumenting");
const DRIVERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/instrumenting");
const LONG_ENOUGH: Duration = Duration::from_secs(120);

#[derive(Debug, Clone, Copy)]
pub enum Language {
    Php,
    Python,
}

impl Language {
    /// The distribution's, whose packages bring the clients of Redis and MySQL.
    fn interpreter(self) -> PathBuf {
        let (name, package, flag, needs) = match self {
            Self::Php => {
                let needs = "exit(extension_loaded('redis') && extension_loaded('pdo_mysql') ? 0 : 1);";
                ("php", "php-cli php-redis php-mysql", "-r", needs)
            }
            Self::Python => ("python3", "python3 python3-redis python3-pymysql", "-c", "import redis, pymysql"),
        };
        let program = Program { name, folders: &["/usr/bin"], package };
        let file = program.find().unwrap_or_else(|error| panic!("{error}"));
        let has = std::process::Command::new(&file).args([flag, needs]).env_clear().output().unwrap();
        let error = String::from_utf8_lossy(&has.stderr);
        let file_name = file.display();
        assert!(
            has.status.success(),
            "{file_name} lacks a library: ./dev test installs it, or: apt-get install {package}\n{error}"
        );
        file
    }

    fn driver(self) -> &'static str {
        match self {
            Self::Php => "drive.php",
            Self::Python => "drive.py",
        }
    }
}

pub struct Client {
    child: Child,
    orders: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Client {
    pub fn start(language: Language, mut settings: Value) -> Self {
        settings["files"] = json!(FILES);
        let mut command = Command::new(language.interpreter());
        command.env_clear().env("PYTHONDONTWRITEBYTECODE", "1").kill_on_drop(true);
        command.arg(format!("{DRIVERS}/{}", language.driver())).arg(settings.to_string());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let orders = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, orders, answers }
    }

    /// What became of the delivery, once what it reports has been sent.
    pub async fn order(&mut self, order: &Value) -> String {
        let obeyed = async {
            self.orders.write_all(format!("{order}\n").as_bytes()).await.unwrap();
            self.answers.next_line().await.unwrap()
        };
        let Some(answer) = tokio::time::timeout(LONG_ENOUGH, obeyed).await.expect("an answer in time") else {
            panic!("{order}: the consumer ended with {}", self.child.wait().await.unwrap());
        };
        let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
        answer["settled"].as_str().unwrap_or_default().to_owned()
    }
}
