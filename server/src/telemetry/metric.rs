//! Every metric that the console exports, by name. A key is never a label.

use app::model::Handling;
use metrics::{Label, SharedString};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::sync::OnceLock;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// `source`, `status`.
    Records,
    /// `source`.
    OldestProcessingAge,
    /// `source`, `state`.
    Locks,
    /// `source`, `queue`, `state`.
    BrokerMessages,
    /// `source`, `type`, `decision`.
    Decisions,
    /// `source`, `type`.
    HandlingSeconds,
    /// `source`, `panel`.
    CollectSeconds,
    /// `source`, `panel`.
    CollectFailures,
    /// `method`, `route`, `status`.
    HttpSeconds,
    /// `task`.
    Tasks,
    /// `task`.
    TaskPanics,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Counter,
    Gauge,
    /// A gauge of something outside: said afresh each time, so that it ends when it is not known any more.
    Reading,
    /// In seconds.
    Histogram,
    /// In seconds, by the bounds of the signals' convention.
    Handling,
}

impl Metric {
    pub const ALL: [Self; 11] = [
        Self::Records,
        Self::OldestProcessingAge,
        Self::Locks,
        Self::BrokerMessages,
        Self::Decisions,
        Self::HandlingSeconds,
        Self::CollectSeconds,
        Self::CollectFailures,
        Self::HttpSeconds,
        Self::Tasks,
        Self::TaskPanics,
    ];

    #[must_use]
    pub fn name(self) -> &'static str {
        self.described().0
    }

    fn described(self) -> (&'static str, Shape, &'static str) {
        use Shape::{Counter, Gauge, Histogram, Reading};
        match self {
            Self::Records => ("idempotency_records", Reading, "Records of a source by status, as last read."),
            Self::OldestProcessingAge => (
                "idempotency_oldest_processing_age_seconds",
                Reading,
                "Age of the record that has been processing the longest.",
            ),
            Self::Locks => ("idempotency_locks", Reading, "Locks of a source's open records by state, as last read."),
            Self::BrokerMessages => ("broker_messages", Reading, "Messages of a queue by state, as last read."),
            Self::Decisions => (
                "idempotency_decisions_total",
                Counter,
                "How deliveries ended, as consumers reported it while this instance was reading.",
            ),
            Self::HandlingSeconds => (
                "idempotency_handling_seconds",
                Shape::Handling,
                "How long handling took, as consumers reported it; each counts as its bucket's upper bound.",
            ),
            Self::CollectSeconds => ("oncewatch_collect_seconds", Histogram, "How long reading one panel took."),
            Self::CollectFailures => {
                ("oncewatch_collect_failures_total", Counter, "Attempts to read a panel that failed.")
            }
            Self::HttpSeconds => ("oncewatch_http_request_seconds", Histogram, "How long answering a request took."),
            Self::Tasks => ("oncewatch_tasks", Gauge, "Background tasks that are running."),
            Self::TaskPanics => ("oncewatch_task_panics_total", Counter, "Background tasks that ended in a panic."),
        }
    }
}

/// Labels as `&[("source", name)]`.
pub type Labels<'a> = &'a [(&'static str, &'a str)];

fn owned(labels: Labels<'_>) -> Vec<Label> {
    labels.iter().map(|(name, value)| Label::new(*name, SharedString::from((*value).to_owned()))).collect()
}

/// Sets a gauge.
#[expect(clippy::disallowed_macros, reason = "the names stand here")]
pub fn set(metric: Metric, labels: Labels<'_>, value: f64) {
    metrics::gauge!(metric.name(), owned(labels)).set(value);
}

/// Moves a gauge.
#[expect(clippy::disallowed_macros, reason = "the names stand here")]
pub fn add(metric: Metric, labels: Labels<'_>, difference: f64) {
    metrics::gauge!(metric.name(), owned(labels)).increment(difference);
}

/// Counts one more.
pub fn count(metric: Metric, labels: Labels<'_>) {
    count_many(metric, labels, 1);
}

#[expect(clippy::disallowed_macros, reason = "the names stand here")]
pub fn count_many(metric: Metric, labels: Labels<'_>, count: u64) {
    metrics::counter!(metric.name(), owned(labels)).increment(count);
}

/// Notes that so many took so long.
#[expect(clippy::disallowed_macros, reason = "the names stand here")]
pub fn observe_many(metric: Metric, labels: Labels<'_>, took: std::time::Duration, count: u64) {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    metrics::histogram!(metric.name(), owned(labels)).record_many(took.as_secs_f64(), count);
}

/// Notes how long something took.
#[expect(clippy::disallowed_macros, reason = "the names stand here")]
pub fn observe(metric: Metric, labels: Labels<'_>, took: std::time::Duration) {
    metrics::histogram!(metric.name(), owned(labels)).record(took.as_secs_f64());
}

/// Bounds in seconds: from a primary-key read to a request's time-out.
const BOUNDS: [f64; 12] = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 3.0, 10.0];

fn handling_bounds() -> Vec<f64> {
    Handling::bounds().iter().map(|ms| std::time::Duration::from_millis(*ms).as_secs_f64()).collect()
}

/// Starts recording, once for the process; until then all of the above does nothing.
pub fn start() -> &'static PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    HANDLE.get_or_init(|| {
        let bounds = |builder: PrometheusBuilder, metric: &Metric| {
            let matcher = Matcher::Full(metric.name().to_owned());
            let bounds = match metric.described().1 {
                Shape::Handling => handling_bounds(),
                _ => BOUNDS.to_vec(),
            };
            builder.set_buckets_for_metric(matcher, &bounds).expect("there are bounds")
        };
        let is_histogram = |metric: &&Metric| matches!(metric.described().1, Shape::Histogram | Shape::Handling);
        let histograms = Metric::ALL.iter().filter(is_histogram);
        let recorder = histograms.fold(PrometheusBuilder::new(), bounds).build_recorder();
        let handle = recorder.handle();
        if metrics::set_global_recorder(recorder).is_err() {
            tracing::error!("another metrics recorder is installed; /metrics stays empty");
        }
        describe(|shape| shape != Shape::Reading);
        handle
    })
}

fn describe(which: impl Fn(Shape) -> bool) {
    for (name, shape, says) in Metric::ALL.map(Metric::described) {
        match shape {
            _ if !which(shape) => {}
            Shape::Counter => metrics::describe_counter!(name, says),
            Shape::Gauge | Shape::Reading => metrics::describe_gauge!(name, says),
            Shape::Histogram | Shape::Handling => metrics::describe_histogram!(name, says),
        }
    }
}

/// The text that Prometheus reads. `readings` sets what is known of the sources just now.
#[must_use]
pub fn render(readings: impl FnOnce()) -> String {
    let handle = start();
    handle.run_upkeep();
    let now = PrometheusBuilder::new().build_recorder();
    metrics::with_local_recorder(&now, || {
        describe(|shape| shape == Shape::Reading);
        readings();
    });
    handle.render() + &now.handle().render()
}

#[cfg(test)]
mod tests {
    use super::{Metric, count, observe, render, set, start};

    #[test]
    fn what_was_recorded_is_rendered_with_its_labels() {
        start();
        count(Metric::TaskPanics, &[("task", "metric-test")]);
        observe(
            Metric::CollectSeconds,
            &[("source", "metric-test"), ("panel", "records")],
            std::time::Duration::from_millis(4),
        );
        let text = render(|| set(Metric::Records, &[("source", "metric-test"), ("status", "failed")], 3.0));
        assert!(text.contains(r#"idempotency_records{source="metric-test",status="failed"} 3"#), "{text}");
        assert!(text.contains(r#"oncewatch_task_panics_total{task="metric-test"} 1"#), "{text}");
        assert!(
            text.contains(r#"oncewatch_collect_seconds_bucket{source="metric-test",panel="records",le="0.005"} 1"#),
            "{text}"
        );
        assert!(text.contains("# HELP idempotency_records "), "{text}");
        assert!(!render(|| {}).contains("idempotency_records{"), "what is not said again is gone");
    }

    #[test]
    fn each_is_in_the_guide() {
        let guide = include_str!("../../../docs/metrics.md");
        for metric in Metric::ALL {
            assert!(guide.contains(&format!("| `{}` |", metric.name())), "docs/metrics.md lacks {}", metric.name());
        }
    }

    #[test]
    fn names_are_distinct_and_follow_the_convention() {
        for (at, metric) in Metric::ALL.iter().enumerate() {
            let name = metric.name();
            assert!(["idempotency_", "broker_", "oncewatch_"].iter().any(|prefix| name.starts_with(prefix)), "{name}");
            assert!(Metric::ALL[..at].iter().all(|other| other.name() != name), "{name}");
        }
    }
}
