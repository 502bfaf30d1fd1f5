//! The proxy passes everything on, until it is told to be bad.

use lab::Proxy;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Sends back what it gets.
async fn echo() -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    tokio_util::task::TaskTracker::new().spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio_util::task::TaskTracker::new().spawn(async move {
                let (mut read, mut write) = stream.split();
                tokio::io::copy(&mut read, &mut write).await
            });
        }
    });
    Ok(address)
}

async fn round_trip(stream: &mut TcpStream, bytes: usize) -> anyhow::Result<Duration> {
    let sent = vec![7; bytes];
    let start = now();
    let (mut read, mut write) = stream.split();
    let mut back = vec![0; bytes];
    tokio::try_join!(write.write_all(&sent), async { read.read_exact(&mut back).await.map(|_| ()) })?;
    assert_eq!(back, sent);
    Ok(start.elapsed())
}

#[expect(clippy::disallowed_methods, reason = "measures how long a real connection takes")]
fn now() -> Instant {
    Instant::now()
}

#[tokio::test]
async fn everything_is_passed_on_and_so_is_the_end() -> anyhow::Result<()> {
    let proxy = Proxy::start(echo().await?).await?;
    let mut stream = TcpStream::connect(proxy.addr()).await?;
    round_trip(&mut stream, 1_000_000).await?;
    stream.shutdown().await?;
    assert_eq!(stream.read(&mut [0]).await?, 0);
    Ok(())
}

#[tokio::test]
async fn a_cut_drops_connections_and_refuses_new_ones_until_it_is_restored() -> anyhow::Result<()> {
    let proxy = Proxy::start(echo().await?).await?;
    let mut stream = TcpStream::connect(proxy.addr()).await?;
    round_trip(&mut stream, 1).await?;

    proxy.cut().await;
    proxy.cut().await;
    assert!(matches!(stream.read(&mut [0]).await, Ok(0) | Err(_)));
    assert!(TcpStream::connect(proxy.addr()).await.is_err());

    proxy.restore().await?;
    proxy.restore().await?;
    round_trip(&mut TcpStream::connect(proxy.addr()).await?, 1).await?;
    Ok(())
}

#[tokio::test]
async fn a_delay_holds_for_both_directions() -> anyhow::Result<()> {
    let proxy = Proxy::start(echo().await?).await?;
    let mut stream = TcpStream::connect(proxy.addr()).await?;
    proxy.delay(Duration::from_millis(200));
    assert!(round_trip(&mut stream, 1).await? >= Duration::from_millis(400));
    proxy.delay(Duration::ZERO);
    assert!(round_trip(&mut stream, 1).await? < Duration::from_millis(200));
    Ok(())
}

#[tokio::test]
async fn a_throttle_limits_the_bytes_of_a_second() -> anyhow::Result<()> {
    let proxy = Proxy::start(echo().await?).await?;
    let mut stream = TcpStream::connect(proxy.addr()).await?;
    proxy.throttle(10_000);
    assert!(round_trip(&mut stream, 10_000).await? >= Duration::from_millis(900));
    Ok(())
}

#[tokio::test]
async fn a_target_that_is_down_is_seen_as_a_dropped_connection() -> anyhow::Result<()> {
    let nobody = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?.local_addr()?;
    let proxy = Proxy::start(nobody).await?;
    let mut stream = TcpStream::connect(proxy.addr()).await?;
    assert!(matches!(stream.read(&mut [0]).await, Ok(0) | Err(_)));
    Ok(())
}
