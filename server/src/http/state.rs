use super::planning::Planning;
use super::security::Hosts;
use super::zone;
use crate::auth::SignIn;
use crate::system::System;
use app::reads::Reads;
use app::ui::Zone;
use leptos::config::LeptosOptions;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Event streams open at the same time; each holds a connection.
const MOST_STREAMS: usize = 256;
/// Lists of records that are written to files at the same time: each is many statements on a team's database.
const MOST_EXPORTS: usize = 2;

/// What every request works with.
#[derive(Clone)]
pub struct App(Arc<Inner>);

pub struct Inner {
    pub system: Arc<System>,
    pub reads: Arc<dyn Reads>,
    pub sign_in: SignIn,
    pub shutdown: CancellationToken,
    pub(super) hosts: Hosts,
    pub(super) leptos: LeptosOptions,
    /// Those that are the same for all who look at them.
    pub(super) pages: super::page::SharedPages,
    pub(super) blanks: super::page::Blanks,
    pub(super) zones: HashMap<String, Zone>,
    pub(super) streams: Arc<Semaphore>,
    pub(super) exports: Arc<Semaphore>,
    pub(super) planning: Planning,
    pub(super) ready: super::probe::Ready,
}

impl Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl App {
    #[must_use]
    pub fn new(system: Arc<System>, reads: Arc<dyn Reads>, shutdown: CancellationToken) -> Self {
        let now = system.clock.now();
        let sources = system.config.sources.iter();
        Self(Arc::new(Inner {
            sign_in: SignIn::new(system.clock.clone()),
            hosts: Hosts::of(&system.config.server),
            leptos: LeptosOptions::builder().output_name("oncewatch").site_pkg_dir("pkg").build(),
            pages: super::page::SharedPages::default(),
            blanks: super::page::Blanks::default(),
            zones: sources.map(|source| (source.name.clone(), zone::of(source.timezone, now))).collect(),
            streams: Arc::new(Semaphore::new(MOST_STREAMS)),
            exports: Arc::new(Semaphore::new(MOST_EXPORTS)),
            planning: Planning::default(),
            ready: super::probe::Ready::default(),
            system,
            reads,
            shutdown,
        }))
    }

    /// Whether browsers come by https: then cookies are `Secure` and HSTS is sent.
    pub(super) fn https(&self) -> bool {
        self.system.config.server.public_url.as_ref().is_some_and(|url| url.scheme() == "https")
    }
}
