//! PostgreSQL: 2 to 3 seconds.

use super::{Recipe, Running, argument, folder, free_address, is_root};
use crate::guard::Invocation;
use crate::program::{self, Program};
use anyhow::Context;
use sqlx::{Connection, PgConnection};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const FOLDERS: &[&str] = &["/usr/lib/postgresql/*/bin", "/usr/local/bin"];
const PROGRAM: Program = Program { name: "postgres", folders: FOLDERS, package: "postgresql" };
const INITDB: Program = Program { name: "initdb", folders: FOLDERS, package: "postgresql" };

/// # Errors
/// When it is not installed, or does not come up.
pub async fn start() -> anyhow::Result<Running> {
    let program = PROGRAM.find()?;
    let folder = folder("postgres")?;
    let user = own(folder.path()).await?;
    let data = folder.path().join("data");
    let password = folder.path().join("password");
    std::fs::write(&password, "lab-password\n").context("write the password file")?;

    let mut initdb = as_user(user, INITDB.find()?);
    initdb.extend(["-U", "lab", "-E", "UTF8", "--locale=C.UTF-8", "-A", "scram-sha-256", "--no-sync"].map(Into::into));
    initdb.extend([argument("--pwfile=", &password), argument("--pgdata=", &data)]);
    let mut command = tokio::process::Command::new(&initdb[0]);
    command.args(&initdb[1..]).current_dir(folder.path());
    program::run(&mut command).await.context("make PostgreSQL's data folder")?;

    let address = free_address()?;
    let mut command = as_user(user, program);
    command.extend([OsString::from("-D"), data.into_os_string(), "-p".into(), address.port().to_string().into()]);
    // A test does not outlive a power cut, so nothing waits for the disk.
    let settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "max_connections=300"];
    command.extend(settings.iter().flat_map(|setting| ["-c", setting]).map(OsString::from));
    let url = format!("postgres://lab:lab-password@{address}/postgres");
    let probed = url.clone();
    let recipe = Recipe {
        name: "PostgreSQL",
        // TERM would wait until every client has left.
        invocation: Invocation { command, environment: Vec::new(), signal: "INT" },
        address,
        url,
        probe: Box::new(move || Box::pin(ping(probed.clone()))),
    };
    Running::start(recipe, folder).await
}

#[derive(Clone, Copy)]
enum User {
    /// Whoever we are.
    Own,
    /// PostgreSQL refuses to run as root.
    Postgres,
}

/// Gives the folder to the user that the server will run as.
async fn own(folder: &Path) -> anyhow::Result<User> {
    if !is_root()? {
        return Ok(User::Own);
    }
    let id = program::run(tokio::process::Command::new("id").args(["-u", "postgres"])).await;
    let id = id.context("find the user postgres, which the package postgresql makes")?;
    let id: u32 = id.parse().with_context(|| format!("`id -u postgres` says {id:?}"))?;
    std::os::unix::fs::chown(folder, Some(id), None).context("give the folder to the user postgres")?;
    Ok(User::Postgres)
}

fn as_user(user: User, program: PathBuf) -> Vec<OsString> {
    let mut command: Vec<OsString> = match user {
        User::Own => Vec::new(),
        User::Postgres => {
            ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"].map(Into::into).into()
        }
    };
    command.push(program.into_os_string());
    command
}

async fn ping(url: String) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect(&url).await.context("connect")?;
    connection.ping().await.context("ping")?;
    connection.close().await.context("close")
}
