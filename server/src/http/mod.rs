//! The web: pages for people, `/api` for islands and scripts, the same as CSV, probes for machines.
//!
//! Start at [`routes::table`]: every route with what it needs. Around all of them stands [`around`], which gives each
//! request its id and each response its headers, and turns whatever went wrong into one kind of answer. Between the two,
//! [`security`] refuses foreign hosts and sites, and [`access`] refuses whoever may not.

pub mod access;
mod api;
mod archive;
mod around;
mod asked;
mod assets;
mod caller;
mod cookies;
mod flash;
mod operation;
mod page;
mod pages;
mod planning;
mod probe;
mod problem;
mod range;
mod render;
pub mod routes;
mod security;
mod sheet;
mod spoken;
mod state;
mod visit;
mod zone;

pub use api::openapi;
pub use state::App;

use crate::system::System;
use anyhow::Context;
use app::reads::Reads;
use std::future::IntoFuture;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// How long answers that have begun may take to end after the shutdown.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Serves until the shutdown, then lets running requests end.
pub async fn serve(
    system: Arc<System>,
    reads: Arc<dyn Reads>,
    listener: TcpListener,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let router = routes::router(&App::new(system, reads, shutdown.clone()));
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    let server = axum::serve(listener, service).with_graceful_shutdown(shutdown.clone().cancelled_owned());
    let patience = async {
        shutdown.cancelled().await;
        tokio::time::sleep(LAST_WORDS).await;
    };
    tokio::select! {
        served = server.into_future() => served.context("serve HTTP"),
        () = patience => {
            tracing::warn!("some requests did not end in time and were cut off");
            Ok(())
        }
    }
}
