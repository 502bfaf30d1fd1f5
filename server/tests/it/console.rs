//! A console for tests: the real router over an SQLite state, an SQLite table and the shared Redis, asked as a browser
//! or a script asks.

use app::model::Role;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use chrono::{DateTime, TimeDelta, Utc};
use server::auth::{NewToken, Stay, form_token, hash_password, new_token, open_session};
use server::boot;
use server::clock::{Clock, SystemClock};
use server::config::{Config, Environment, from_toml};
use server::http::{App, routes};
use server::ports::state::Operator;
use server::reads::LiveReads;
use server::system::System;
use sqlx::AssertSqlSafe;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

pub const SOURCE: &str = "points";
pub const PASSWORD: &str = "a long enough password";

/// The machine's clocks, moved on by whatever a test says.
#[derive(Debug, Default)]
pub struct Shifted {
    by: Mutex<Duration>,
}

impl Shifted {
    pub fn advance(&self, by: Duration) {
        *self.by.lock().unwrap() += by;
    }
}

impl Clock for Shifted {
    fn now(&self) -> DateTime<Utc> {
        SystemClock.now() + TimeDelta::from_std(*self.by.lock().unwrap()).unwrap()
    }

    fn instant(&self) -> Instant {
        SystemClock.instant() + *self.by.lock().unwrap()
    }
}

pub struct Console {
    pub system: Arc<System>,
    pub clock: Arc<Shifted>,
    pub shutdown: CancellationToken,
    /// Of the lock keys, so that tests on the shared Redis do not meet.
    pub prefix: String,
    pub redis: String,
    router: Router,
    records: Option<lab::Database>,
    _state: Option<lab::Database>,
}

/// Who asks, and what they carry.
#[derive(Debug, Clone, Default)]
pub struct Who {
    pub cookie: Option<String>,
    pub bearer: Option<String>,
    pub form_token: String,
}

/// Nobody.
pub fn anonymous() -> Who {
    Who::default()
}

pub fn bearer(token: &str) -> Who {
    Who { bearer: Some(token.into()), ..Who::default() }
}

pub fn browser(secret: &str) -> Who {
    Who { cookie: Some(format!("oncewatch_session={secret}")), bearer: None, form_token: form_token(secret) }
}

impl Who {
    #[must_use]
    pub fn and_cookie(&self, cookie: &str) -> Self {
        let cookies = self.cookie.iter().map(String::as_str).chain([cookie]).collect::<Vec<_>>().join("; ");
        Self { cookie: Some(cookies), ..self.clone() }
    }
}

pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The value of a cookie that was set.
    pub fn cookie(&self, name: &str) -> Option<String> {
        let set = self.headers.get_all(header::SET_COOKIE).iter().map(|value| value.to_str().unwrap());
        set.filter_map(|cookie| cookie.split(';').next()?.split_once('='))
            .find(|(found, _)| *found == name)
            .map(|(_, value)| value.to_owned())
    }
}

impl Console {
    pub async fn start() -> Self {
        Self::with("").await
    }

    /// `top`: tables that the configuration begins with.
    pub async fn with(top: &str) -> Self {
        Self::over(top, lab::redis().await.unwrap().url.clone()).await
    }

    pub async fn over(top: &str, redis: String) -> Self {
        let own = lab::sqlite_database("console").await.unwrap();
        let mut console = Self::on(top, redis, &own.url).await;
        console._state = Some(own);
        console
    }

    /// With its own state at this URL.
    pub async fn on(top: &str, redis: String, state: &str) -> Self {
        let table = lab::sqlite_database("points").await.unwrap();
        let prefix = format!("t{}", uuid::Uuid::new_v4().simple());
        let config = configuration(top, state, &table.url, &redis, &prefix);
        let console = Self { prefix, redis, records: Some(table), ..Self::of(config).await };
        console.sql(TABLE).await;
        console
    }

    /// Over stores that are somebody else's.
    pub async fn of(config: Config) -> Self {
        let clock = Arc::new(Shifted::default());
        let system = Arc::new(boot::system_at(config, boot::Role::Server, clock.clone()).await.unwrap());
        let shutdown = CancellationToken::new();
        let app = App::new(system.clone(), Arc::new(LiveReads::new(system.clone())), shutdown.clone());
        let router = routes::router(&app);
        let (prefix, redis) = (String::new(), String::new());
        Self { system, clock, shutdown, prefix, redis, router, records: None, _state: None }
    }

    /// On the team's table, behind the console's back.
    pub async fn sql(&self, sql: &str) {
        execute(&self.records.as_ref().expect("a table of its own").url, sql).await;
    }

    /// On the console's own state, behind its back.
    pub async fn state_sql(&self, sql: &str) {
        execute(self.system.config.state.url.expose(), sql).await;
    }

    pub async fn add_operator(&self, name: &str, role: Role) -> Operator {
        let password_hash = Some(hash_password(PASSWORD).unwrap());
        let operator = Operator { name: name.into(), role, password_hash, created_at: self.clock.now() };
        self.system.state.operators.add(&operator).await.unwrap();
        operator
    }

    /// A new operator's browser, signed in.
    pub async fn signed_in(&self, name: &str, role: Role) -> Who {
        let operator = self.add_operator(name, role).await;
        let opened = open_session(&self.system, &operator, Stay::WhileUsed).await.unwrap();
        browser(&opened.secret)
    }

    pub async fn token(&self, name: &str, role: Role, source: Option<&str>) -> Who {
        let new = NewToken { name, role, source, expires_at: Some(self.clock.now() + TimeDelta::hours(1)) };
        bearer(&new_token(&self.system.state, self.clock.now(), new).await.unwrap())
    }

    pub async fn get(&self, who: &Who, path: &str) -> Answer {
        self.send(self.request(who, Method::GET, path).body(Body::empty()).unwrap()).await
    }

    /// A form of our own page, with its token.
    pub async fn post(&self, who: &Who, path: &str, fields: &[(&str, &str)]) -> Answer {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(fields).append_pair("form_token", &who.form_token);
        let request = self
            .request(who, Method::POST, path)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::ORIGIN, "http://localhost:8080")
            .header("sec-fetch-site", "same-origin");
        self.send(request.body(Body::from(form.finish())).unwrap()).await
    }

    pub async fn post_json(&self, who: &Who, path: &str, body: &serde_json::Value) -> Answer {
        let request = self.request(who, Method::POST, path).header(header::CONTENT_TYPE, "application/json");
        self.send(request.body(Body::from(body.to_string())).unwrap()).await
    }

    pub fn request(&self, who: &Who, method: Method, path: &str) -> axum::http::request::Builder {
        let accept = if path.starts_with("/api") { "application/json" } else { "text/html" };
        let mut request = Request::builder().method(method).uri(path).header(header::HOST, "localhost:8080");
        request = request.header(header::ACCEPT, accept);
        if let Some(cookie) = &who.cookie {
            request = request.header(header::COOKIE, cookie);
        }
        if let Some(bearer) = &who.bearer {
            request = request.header(header::AUTHORIZATION, format!("Bearer {bearer}"));
        }
        request
    }

    pub async fn send(&self, request: Request<Body>) -> Answer {
        let (parts, body) = self.stream(request).await;
        let body = to_bytes(body, 16 << 20).await.unwrap();
        let body = String::from_utf8_lossy(&body).into_owned();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    /// For answers that do not end.
    pub async fn stream(&self, request: Request<Body>) -> (axum::http::response::Parts, Body) {
        self.router.clone().oneshot(request).await.unwrap().into_parts()
    }

    pub async fn redis(&self) -> redis::aio::MultiplexedConnection {
        let client = redis::Client::open(self.redis.as_str()).unwrap();
        client.get_multiplexed_async_connection().await.unwrap()
    }
}

async fn execute(url: &str, sql: &str) {
    let pool = sqlx::SqlitePool::connect(url).await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&pool).await.unwrap();
    pool.close().await;
}

fn configuration(top: &str, state: &str, records: &str, redis: &str, prefix: &str) -> Config {
    let text = format!(
        r#"{top}
        [state]
        url = "{state}"
        [[source]]
        name = "{SOURCE}"
        [source.records]
        url = "{records}"
        table = "idempotent_record"
        id = "id"
        key = ["biz_id"]
        type = "biz_type"
        created = "create_time"
        updated = "update_time"
        [source.records.status]
        column = "status"
        processing = [1]
        completed = [2]
        failed = [3]
        [source.locks]
        url = "{redis}"
        pattern = "{prefix}:{{type}}:{{key}}"
        done = ["done:*"]
        ttl = "15s"
        "#
    );
    from_toml(&text, &Environment::default()).unwrap_or_else(|error| panic!("{error}"))
}

const TABLE: &str = "CREATE TABLE idempotent_record (
    id INTEGER PRIMARY KEY AUTOINCREMENT, biz_id TEXT NOT NULL, biz_type TEXT NOT NULL, status INTEGER NOT NULL,
    create_time DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, update_time DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (biz_type, biz_id))";
