//! MariaDB: 2 to 4 seconds.

use super::{Recipe, Running, argument, folder, free_address, is_root};
use crate::guard::Invocation;
use crate::program::{self, Program};
use anyhow::Context;
use sqlx::{Connection, MySqlConnection};

const FOLDERS: &[&str] = &["/usr/sbin", "/usr/bin", "/usr/local/bin"];
const PROGRAM: Program = Program { name: "mariadbd", folders: FOLDERS, package: "mariadb-server" };
const INSTALL: Program = Program { name: "mariadb-install-db", folders: FOLDERS, package: "mariadb-server" };

/// # Errors
/// When it is not installed, or does not come up.
pub async fn start() -> anyhow::Result<Running> {
    let program = PROGRAM.find()?;
    let folder = folder("mariadb")?;
    let data = folder.path().join("data");
    // The default, authentication by socket, refuses clients that come by TCP.
    let mut install = tokio::process::Command::new(INSTALL.find()?);
    install.args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"]);
    install.arg(argument("--datadir=", &data));
    if is_root()? {
        install.arg("--user=root");
    }
    program::run(&mut install).await.context("make MariaDB's data folder")?;

    let users = folder.path().join("users.sql");
    let sql = "CREATE USER IF NOT EXISTS lab@'127.0.0.1' IDENTIFIED BY 'lab-password';\n\
               GRANT ALL ON *.* TO lab@'127.0.0.1' WITH GRANT OPTION;\n";
    std::fs::write(&users, sql).context("write MariaDB's first statements")?;

    let address = free_address()?;
    let mut command = vec![program.into_os_string(), "--no-defaults".into()];
    command.push(argument("--datadir=", &data));
    command.push(argument("--socket=", &folder.path().join("socket")));
    command.push(argument("--init-file=", &users));
    command.push(format!("--port={}", address.port()).into());
    // A test does not outlive a power cut, so nothing waits for the disk.
    let fixed = [
        "--bind-address=127.0.0.1",
        "--skip-name-resolve",
        "--innodb-flush-log-at-trx-commit=2",
        "--max-connections=500",
    ];
    command.extend(fixed.map(Into::into));
    if is_root()? {
        command.push("--user=root".into());
    }
    let url = format!("mysql://lab:lab-password@{address}/");
    let probed = url.clone();
    let recipe = Recipe {
        name: "MariaDB",
        invocation: Invocation { command, environment: Vec::new(), signal: "TERM" },
        address,
        url,
        probe: Box::new(move || Box::pin(ping(probed.clone()))),
    };
    Running::start(recipe, folder).await
}

async fn ping(url: String) -> anyhow::Result<()> {
    let mut connection = MySqlConnection::connect(&url).await.context("connect")?;
    connection.ping().await.context("ping")?;
    connection.close().await.context("close")
}
