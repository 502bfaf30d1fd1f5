//! `serve`: the web console, until SIGTERM or SIGINT.

use super::{Exit, Failure, Given, Io, need_sources, to_the_second};
use crate::action::archive;
use crate::action::rows::runner;
use crate::boot::{self, Role};
use crate::reads::LiveReads;
use crate::system::System;
use crate::telemetry::{metric, task};
use crate::{auth, collect, http};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Collectors end within one statement; what hangs longer is left to the process's end, where its lease runs out.
const END_WITHIN: Duration = Duration::from_secs(10);

pub(super) async fn run(given: &Given<'_>, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let config = given.config()?;
    need_sources(&config)?;
    let signals = Signals::heed()?;
    let mut system = boot::system(config, Role::Server).await?;
    let operators = system.state.operators.any().await?;
    refuse_public_without_operator(system.config.server.listen, operators)?;
    let listener = listen(&mut system).await?;
    writeln!(io.out, "Oncewatch listens on http://{}", system.config.server.listen)?;
    if !operators {
        let link = auth::new_setup_link(&system).await?;
        writeln!(
            io.out,
            "There is no operator yet. Create the first admin, until {}, at {}",
            to_the_second(link.expires_at),
            link.url
        )?;
    }
    io.out.flush()?;
    serve(system, listener, signals).await
}

fn refuse_public_without_operator(listen: SocketAddr, operators: bool) -> Result<(), Failure> {
    if listen.ip().is_loopback() || operators {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "server.listen: found {listen}, which is not loopback, while no operator account exists; make one with \
         \"oncewatch operator add NAME\", or listen on 127.0.0.1"
    )))
}

/// Takes the port, and notes the one that the kernel chose for port 0: links are made from it.
pub(super) async fn listen(system: &mut System) -> Result<TcpListener, Failure> {
    let wanted = system.config.server.listen;
    let taken = |error: std::io::Error| {
        Failure::Failed(format!(
            "{wanted} cannot be listened on ({error}); stop what uses it, or listen elsewhere (server.listen; demo: --listen)"
        ))
    };
    let listener = TcpListener::bind(wanted).await.map_err(taken)?;
    system.config.server.listen = listener.local_addr().map_err(taken)?;
    Ok(listener)
}

/// Collects and answers until a signal comes, then ends what was begun.
pub(super) async fn serve(system: System, listener: TcpListener, signals: Signals) -> Result<Exit, Failure> {
    metric::start();
    let system = Arc::new(system);
    let shutdown = CancellationToken::new();
    let signals = task::spawn("signals", signals.end(shutdown.clone()));
    let collectors = collect::start(system.clone(), shutdown.clone());
    let runner = runner::start(system.clone(), shutdown.clone());
    let archiver = archive::runner::start(&system, &shutdown);
    let reads = Arc::new(LiveReads::new(system.clone()));
    let served = http::serve(system, reads, listener, shutdown.clone()).await;
    shutdown.cancel();
    signals.abort();
    let ended = async { tokio::join!(collectors.wait(), runner.wait(), archiver.wait()) };
    if tokio::time::timeout(END_WITHIN, ended).await.is_err() {
        tracing::warn!("collectors or a run did not end in time; their leases run out by themselves");
    }
    served.map_err(|error| Failure::Failed(format!("the console stopped serving: {error:#}")))?;
    Ok(Exit::Done)
}

/// SIGTERM and SIGINT. From [`Signals::heed`] on they end nothing by themselves, so it comes first.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(super) fn heed() -> Result<Self, Failure> {
        let heed = |kind| signal(kind).map_err(|error| Failure::Failed(format!("signals cannot be heeded: {error}")));
        Ok(Self { terminate: heed(SignalKind::terminate())?, interrupt: heed(SignalKind::interrupt())? })
    }

    pub(super) async fn next(&mut self) {
        tokio::select! { _ = self.terminate.recv() => (), _ = self.interrupt.recv() => () }
    }

    /// The first ends politely, the second at once.
    async fn end(mut self, shutdown: CancellationToken) {
        self.next().await;
        tracing::info!("ending; a second signal ends at once");
        shutdown.cancel();
        self.next().await;
        std::process::exit(130);
    }
}
