//! A TCP connection that can go bad: put it between a program and a service.

use anyhow::Context;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Passes everything on to its target until it is told otherwise. Dropping it cuts it.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    target: SocketAddr,
    pace: Arc<Pace>,
    /// `None` while cut.
    line: Mutex<Option<Line>>,
}

#[derive(Debug, Default)]
struct Pace {
    delay_ms: AtomicU64,
    /// 0: as fast as it goes.
    bytes_per_second: AtomicU64,
}

/// The listener and its connections: they end together.
#[derive(Debug)]
struct Line {
    end: CancellationToken,
    tasks: TaskTracker,
}

impl Proxy {
    /// # Errors
    /// When there is no free port.
    pub async fn start(target: SocketAddr) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.context("find a free port for the proxy")?;
        let address = listener.local_addr().context("find a free port for the proxy")?;
        let pace = Arc::new(Pace::default());
        let line = Line::start(listener, target, &pace);
        Ok(Self { address, target, pace, line: Mutex::new(Some(line)) })
    }

    /// Where it listens.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.address
    }

    /// Drops every connection and refuses new ones; when it returns, this is so.
    pub async fn cut(&self) {
        if let Some(line) = self.line.lock().await.take() {
            line.end.cancel();
            line.tasks.close();
            line.tasks.wait().await;
        }
    }

    /// Takes new connections again.
    ///
    /// # Errors
    /// When somebody else has taken the port meanwhile.
    pub async fn restore(&self) -> anyhow::Result<()> {
        let mut line = self.line.lock().await;
        if line.is_none() {
            let listener = TcpListener::bind(self.address).await.context("listen on the proxy's port again")?;
            *line = Some(Line::start(listener, self.target, &self.pace));
        }
        Ok(())
    }

    /// Holds each chunk back for so long, in both directions; zero ends it.
    pub fn delay(&self, delay: Duration) {
        self.pace.delay_ms.store(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// For each connection and direction; zero ends it.
    pub fn throttle(&self, bytes_per_second: u64) {
        self.pace.bytes_per_second.store(bytes_per_second, Ordering::Relaxed);
    }
}

impl Line {
    fn start(listener: TcpListener, target: SocketAddr, pace: &Arc<Pace>) -> Self {
        let line = Self { end: CancellationToken::new(), tasks: TaskTracker::new() };
        let (end, tasks, pace) = (line.end.clone(), line.tasks.clone(), pace.clone());
        line.tasks.spawn(async move {
            let accept = async {
                while let Ok((inbound, _)) = listener.accept().await {
                    let (end, pace) = (end.clone(), pace.clone());
                    tasks.spawn(async move { end.run_until_cancelled(pass(inbound, target, &pace)).await });
                }
            };
            end.run_until_cancelled(accept).await;
        });
        line
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.end.cancel();
    }
}

/// An error on either side ends both: that is all a proxy can pass on.
async fn pass(inbound: TcpStream, target: SocketAddr, pace: &Pace) -> std::io::Result<()> {
    let outbound = TcpStream::connect(target).await?;
    inbound.set_nodelay(true)?;
    outbound.set_nodelay(true)?;
    let (inbound_read, inbound_write) = inbound.into_split();
    let (outbound_read, outbound_write) = outbound.into_split();
    tokio::try_join!(copy(inbound_read, outbound_write, pace), copy(outbound_read, inbound_write, pace))?;
    Ok(())
}

async fn copy(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, pace: &Pace) -> std::io::Result<()> {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let bytes_per_second = pace.bytes_per_second.load(Ordering::Relaxed);
        // At most a tenth of a second's worth at once, so that a slow line drips.
        let chunk = match usize::try_from(bytes_per_second / 10) {
            Ok(tenth) if bytes_per_second > 0 => tenth.clamp(1, buffer.len()),
            _ => buffer.len(),
        };
        let read = from.read(&mut buffer[..chunk]).await?;
        if read == 0 {
            return to.shutdown().await;
        }
        tokio::time::sleep(Duration::from_millis(pace.delay_ms.load(Ordering::Relaxed))).await;
        to.write_all(&buffer[..read]).await?;
        if let Some(nanoseconds) = (read as u64 * 1_000_000_000).checked_div(bytes_per_second) {
            tokio::time::sleep(Duration::from_nanos(nanoseconds)).await;
        }
    }
}
