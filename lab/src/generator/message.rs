//! What travels: one business event, under the key that makes it the same event when it comes twice.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicI64, Ordering};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Kind {
    OrderDone,
    RefundDone,
    SignIn,
    Coupon,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OrderDone => "ORDER_DONE",
            Self::RefundDone => "REFUND_DONE",
            Self::SignIn => "SIGN_IN",
            Self::Coupon => "COUPON",
        }
    }

    pub fn queue(self) -> &'static str {
        match self {
            Self::OrderDone | Self::Coupon => "points.order",
            Self::RefundDone => "points.refund",
            Self::SignIn => "points.signin",
        }
    }

    /// Orders are most of the traffic.
    pub fn draw() -> Self {
        match rand::random_range(0..10) {
            0..=4 => Self::OrderDone,
            5..=7 => Self::SignIn,
            8 => Self::RefundDone,
            _ => Self::Coupon,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    pub biz_type: Kind,
    pub biz_id: String,
    pub points: u32,
}

impl Message {
    pub fn new(biz_type: Kind, biz_id: impl Into<String>) -> Self {
        Self { biz_type, biz_id: biz_id.into(), points: rand::random_range(1..500) }
    }
}

/// Business keys as teams make them. The number goes on where an earlier run stopped, so that none comes again.
#[derive(Debug)]
pub struct Keys {
    day: NaiveDate,
    last: AtomicI64,
}

impl Keys {
    pub fn new(day: NaiveDate, last: i64) -> Self {
        Self { day, last: AtomicI64::new(last) }
    }

    pub fn next(&self, kind: Kind) -> String {
        self.next_of(kind, self.day)
    }

    pub fn next_of(&self, kind: Kind, day: NaiveDate) -> String {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let day = day.format("%Y%m%d");
        match kind {
            Kind::OrderDone => format!("{day}{number:06}"),
            Kind::RefundDone => format!("R{day}{number:06}"),
            Kind::SignIn => format!("u{number}:{day}"),
            Kind::Coupon => format!("cp-{number:08x}"),
        }
    }
}

/// Keys that some program somewhere gets wrong.
pub const ODD_KEYS: [&str; 3] = ["订单-七", r#"O'Brien 100% "x""#, "</script>🎈"];
