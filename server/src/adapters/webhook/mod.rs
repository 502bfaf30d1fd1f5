//! Asks somebody else to send a message again: one signed POST for each, with an `Idempotency-Key`.
//!
//! The key is the same however often one item of one operation is asked for, so a request whose answer was lost is sent
//! again. `2xx` is done. `408`, `409`, `425`, `429` and `5xx` are asked again, three times in all; after a `5xx` but `501` and
//! `503`, or without an answer, nobody can tell whether it was done. Every other answer means that nothing was done;
//! redirects are not followed. Signed as Standard Webhooks have it: HMAC-SHA256 over id, time and body.

mod address;

pub use address::Guarded;

use crate::clock::Clock;
use crate::config::{Limits, Secret, Webhook};
use crate::ports::permit::Permit;
use crate::ports::redelivery::{Held, Redelivery, Sent, Wanted};
use crate::telemetry;
use app::model::{Fault, Setback};
use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use futures::future::join_all;
use reqwest::{Client, Response, StatusCode};
use ring::hmac;
use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use url::Url;

/// Requests that are under way together.
const AT_ONCE: u32 = 16;
const TRIES: u32 = 3;
const BETWEEN_TRIES: Duration = Duration::from_millis(300);

/// Connects when something is sent. `http` resolves names by [`Guarded`].
///
/// # Errors
/// [`Fault::BadInput`] for an address that is none, or that leads where no webhook should be.
pub fn connect(
    source: &str,
    webhook: &Webhook,
    limits: &Limits,
    http: Client,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn Redelivery>, Fault> {
    let bad = |detail: String| Fault::BadInput { what: "retry.webhook.url".into(), detail };
    let url = Url::parse(webhook.url.expose()).map_err(|error| bad(error.to_string()))?;
    address::check_literal(&url).map_err(bad)?;
    Ok(Arc::new(Hook(Arc::new(Line {
        source: source.to_owned(),
        url,
        key: hmac::Key::new(hmac::HMAC_SHA256, &secret(&webhook.secret)),
        http,
        timeout: limits.statement_timeout,
        clock,
    }))))
}

/// `whsec_` and base64, as Standard Webhooks write secrets; anything else is taken as it is.
fn secret(secret: &Secret) -> Vec<u8> {
    let text = secret.expose();
    let decoded = text.strip_prefix("whsec_").and_then(|encoded| STANDARD.decode(encoded).ok());
    decoded.unwrap_or_else(|| text.as_bytes().to_vec())
}

struct Hook(Arc<Line>);

struct Line {
    source: String,
    url: Url,
    key: hmac::Key,
    http: Client,
    /// Of one request.
    timeout: Duration,
    clock: Arc<dyn Clock>,
}

/// What is asked.
#[derive(Serialize)]
struct Body<'a> {
    source: &'a str,
    r#type: Option<&'a str>,
    key: Option<&'a str>,
    /// As `/api` knows it.
    r#ref: &'a str,
}

#[async_trait]
impl Redelivery for Hook {
    fn interrupted(&self) -> Option<Setback> {
        None
    }

    fn at_once(&self) -> u32 {
        AT_ONCE
    }

    /// Nothing can be looked at before it is asked.
    async fn hold(&self, wanted: &[Wanted], _until: Instant) -> Result<Box<dyn Held>, Fault> {
        Ok(Box::new(Asked { line: Arc::clone(&self.0), wanted: wanted.to_vec() }))
    }
}

struct Asked {
    line: Arc<Line>,
    wanted: Vec<Wanted>,
}

#[async_trait]
impl Held for Asked {
    fn lack(&self, _place: usize) -> Option<Setback> {
        None
    }

    async fn send(&mut self, _permit: &Permit, places: &[usize], until: Instant) -> Vec<Sent> {
        join_all(places.iter().map(|place| self.line.ask(&self.wanted[*place], until))).await
    }

    async fn finish(self: Box<Self>, _permit: &Permit, _places: &[usize]) -> Result<(), Fault> {
        Ok(())
    }
}

/// How one request ended.
enum Answer {
    Status(StatusCode),
    /// No connection was made.
    NotAsked(String),
    Lost(String),
}

impl Line {
    async fn ask(&self, wanted: &Wanted, until: Instant) -> Sent {
        // Something that may have been done stays so, whatever comes after it.
        let mut may_be_done = wanted.may_be_sent.then(|| "an earlier request had no answer".to_owned());
        for attempt in 0..TRIES {
            if attempt > 0 {
                tokio::time::sleep(BETWEEN_TRIES * attempt).await;
            }
            let left = until.saturating_duration_since(self.clock.instant()).min(self.timeout);
            if left.is_zero() {
                break;
            }
            match self.post(wanted, left).await {
                Answer::Status(status) if status.is_success() => return Sent::Moved,
                Answer::Status(StatusCode::CONFLICT) => may_be_done = Some("it answered 409 each time".to_owned()),
                Answer::Status(status) if status.is_server_error() && !is_declined(status) => {
                    may_be_done = Some(format!("it answered {}", status.as_u16()));
                }
                Answer::Status(status) if is_declined(status) && attempt + 1 < TRIES => {}
                Answer::Status(status) if may_be_done.is_none() => {
                    return Sent::Refused(Setback::Answered { status: status.as_u16() });
                }
                Answer::Status(status) => {
                    may_be_done = Some(format!("it answered {} in the end", status.as_u16()));
                    break;
                }
                Answer::NotAsked(detail) if attempt + 1 == TRIES && may_be_done.is_none() => {
                    return Sent::Refused(Setback::NotTaken { detail });
                }
                Answer::NotAsked(_) => {}
                Answer::Lost(detail) => may_be_done = Some(detail),
            }
        }
        may_be_done.map_or(Sent::NotBegun, |detail| Sent::Unknown(Setback::NoAnswer { detail }))
    }

    async fn post(&self, wanted: &Wanted, within: Duration) -> Answer {
        let body = Body {
            source: &self.source,
            r#type: wanted.r#type.as_deref(),
            key: wanted.key.as_deref(),
            r#ref: &wanted.record,
        };
        let body = match serde_json::to_vec(&body) {
            Ok(body) => body,
            Err(error) => return Answer::NotAsked(error.to_string()),
        };
        let at = self.clock.now();
        let request = self
            .http
            .post(self.url.clone())
            .header("content-type", "application/json")
            .header("idempotency-key", &wanted.id)
            .header("webhook-id", &wanted.id)
            .header("webhook-timestamp", at.timestamp())
            .header("webhook-signature", self.signature(&wanted.id, at, &body))
            .timeout(within)
            .body(body);
        // What else it says is of no use here, and may have no end.
        match request.send().await.as_ref().map(Response::status) {
            Ok(status) => Answer::Status(status),
            Err(error) if error.is_connect() || error.is_builder() => Answer::NotAsked(telemetry::innermost(error)),
            Err(error) if error.is_timeout() => Answer::Lost(format!("no answer within {} ms", within.as_millis())),
            Err(error) => Answer::Lost(telemetry::innermost(error)),
        }
    }

    fn signature(&self, id: &str, at: DateTime<Utc>, body: &[u8]) -> String {
        let signed = [format!("{id}.{}.", at.timestamp()).as_bytes(), body].concat();
        format!("v1,{}", STANDARD.encode(hmac::sign(&self.key, &signed)))
    }
}

/// It says that it did nothing, and may do it later.
fn is_declined(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 425 | 429 | 501 | 503)
}
