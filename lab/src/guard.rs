//! Services that end when we do, however we end.
//!
//! A destructor does not run after `kill -9` or an abort, and asking the kernel for a death signal needs unsafe code.
//! So each service runs under a small shell whose standard input is a pipe that we hold: when this process is gone the
//! kernel closes the pipe, and the shell ends the service and removes its folder.

use anyhow::Context;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// The guard has a process group of its own: a Ctrl-C in the terminal reaches us, not it, and its last line sweeps
/// whatever the service left behind (helpers of Erlang, the sleep above).
const SCRIPT: &str = r#"
folder=$1 signal=$2; shift 2
exec 3<&0
"$@" </dev/null 3<&- & service=$!
{ word=; read -r word <&3
  [ "$word" = keep ] || : >"$folder/.abandoned"
  kill -"$signal" $service; sleep 30; kill -KILL $service; } &
wait $service; code=$?
[ ! -e "$folder/.abandoned" ] || rm -rf "$folder"
trap '' TERM; kill -TERM 0
exit $code
"#;

const END_WITHIN: Duration = Duration::from_secs(40);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// How a service is started.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// Program and arguments.
    pub command: Vec<OsString>,
    pub environment: Vec<(&'static str, OsString)>,
    /// What makes it stop cleanly, as `kill` names it.
    pub signal: &'static str,
}

/// A service that runs. Dropping it ends the service, soon, and removes its folder.
#[derive(Debug)]
pub struct Guard {
    shell: Child,
    log: PathBuf,
}

impl Guard {
    /// # Errors
    /// When there is no `sh`, or the folder cannot be written to.
    pub fn start(invocation: &Invocation, folder: &Path) -> anyhow::Result<Self> {
        let log = folder.join("log");
        let out =
            File::options().create(true).append(true).open(&log).with_context(|| format!("open {}", log.display()))?;
        let shell = Command::new("sh")
            .args(["-c", SCRIPT, "guard"])
            .arg(folder)
            .arg(invocation.signal)
            .args(&invocation.command)
            .envs(invocation.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(out.try_clone().context("share the log")?)
            .stderr(out)
            .process_group(0)
            .spawn()
            .context("start sh")?;
        Ok(Self { shell, log })
    }

    /// Says why, when the service has ended by itself.
    ///
    /// # Errors
    /// When it has, with the end of its log.
    pub fn check(&mut self) -> anyhow::Result<()> {
        match self.ended()? {
            None => Ok(()),
            Some(status) => anyhow::bail!("it ended by itself ({status}); its log ends with:\n{}", self.log_tail()),
        }
    }

    /// Stops the service, waits for its end and keeps its folder.
    ///
    /// # Errors
    /// When it had ended before, or does not end.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        self.check()?;
        let mut pipe = self.shell.stdin.take().context("the guard's pipe is closed")?;
        pipe.write_all(b"keep\n").context("tell the guard to stop")?;
        drop(pipe);
        let end = async {
            while self.ended()?.is_none() {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            anyhow::Ok(())
        };
        tokio::time::timeout(END_WITHIN, end).await.context("it does not stop")?
    }

    /// The last lines the service wrote.
    #[must_use]
    pub fn log_tail(&self) -> String {
        const LINES: usize = 25;
        let text =
            fs::read(&self.log).map_or_else(|e| format!("(no log: {e})"), |b| String::from_utf8_lossy(&b).into_owned());
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(LINES)..].join("\n")
    }

    fn ended(&mut self) -> anyhow::Result<Option<ExitStatus>> {
        self.shell.try_wait().context("ask for the guard's state")
    }
}
