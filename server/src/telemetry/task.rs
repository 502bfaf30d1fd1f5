//! Background tasks with a name: counted while they run, and heard when they panic.

use super::metric::{self, Metric};
use futures::FutureExt;
use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, resume_unwind};
use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;

/// Instead of `tokio::spawn`.
#[expect(clippy::disallowed_methods, reason = "the one place that spawns")]
pub fn spawn<F>(name: impl Into<String>, future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    tokio::spawn(watched(name.into(), future))
}

/// The same under a tracker, whose `wait` then waits for it.
pub fn spawn_on<F>(tracker: &TaskTracker, name: impl Into<String>, future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    tracker.spawn(watched(name.into(), future))
}

/// Counts while it runs, also when it is aborted.
struct Running(String);

impl Running {
    fn new(name: String) -> Self {
        metric::add(Metric::Tasks, &[("task", &name)], 1.0);
        Self(name)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        metric::add(Metric::Tasks, &[("task", &self.0)], -1.0);
    }
}

async fn watched<F: Future>(name: String, future: F) -> F::Output {
    let running = Running::new(name);
    // Nothing is used after the panic: it goes on to whoever joins the task.
    match AssertUnwindSafe(future).catch_unwind().await {
        Ok(output) => output,
        Err(panic) => {
            metric::count(Metric::TaskPanics, &[("task", &running.0)]);
            tracing::error!(task = running.0, panic = said(panic.as_ref()), "a background task ended in a panic");
            resume_unwind(panic)
        }
    }
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no words")
}

#[cfg(test)]
mod tests {
    use super::spawn;
    use crate::telemetry::metric;

    #[tokio::test]
    async fn a_panic_is_counted_and_reaches_whoever_joins() {
        metric::start();
        assert_eq!(spawn("task-test-ends", async { 7 }).await.unwrap(), 7);
        let panicked = spawn("task-test-panics", async { panic!("on purpose") }).await;
        assert!(panicked.unwrap_err().is_panic());
        let text = metric::render(|| {});
        assert!(text.contains(r#"oncewatch_task_panics_total{task="task-test-panics"} 1"#), "{text}");
        assert!(text.contains(r#"oncewatch_tasks{task="task-test-panics"} 0"#), "{text}");
    }
}
