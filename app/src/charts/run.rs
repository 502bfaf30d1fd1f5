//! Slots with and without readings: what is drawn through, and where nothing is known.

/// Readings in slots that follow each other, of which the first is `start`.
pub(super) struct Run {
    start: usize,
    values: Vec<f64>,
}

impl Run {
    pub(super) fn first(&self) -> f64 {
        float(self.start)
    }

    pub(super) fn last(&self) -> f64 {
        float(self.start + self.values.len() - 1)
    }
}

/// The stretches without a hole, in order.
pub(super) fn runs(slots: &[Option<f64>]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (slot, value) in slots.iter().enumerate() {
        let Some(value) = *value else { continue };
        match runs.last_mut() {
            Some(run) if run.start + run.values.len() == slot => run.values.push(value),
            _ => runs.push(Run { start: slot, values: vec![value] }),
        }
    }
    runs
}

/// Where none of the series has a reading in `count` slots, from the last reading before to the first one after, in slots. The newest slot alone
/// is no gap: it may just not have been written yet.
pub(super) fn gaps(count: usize, series: &[&[Option<f64>]]) -> Vec<(f64, f64)> {
    let newest = count.saturating_sub(1);
    let missing: Vec<_> = (0..count)
        .map(|slot| series.iter().all(|slots| slots.get(slot).copied().flatten().is_none()).then_some(0.0))
        .collect();
    runs(&missing)
        .iter()
        .filter(|run| count == 1 || run.start < newest)
        .map(|run| ((run.first() - 1.0).max(0.0), (run.last() + 1.0).min(float(newest.max(1)))))
        .collect()
}

/// The run's points, at most four for each column of `per_column` slots: first, least, greatest, last. So a peak of one
/// slot stays visible among ten thousand.
pub(super) fn thin(run: &Run, per_column: f64) -> Vec<(f64, f64)> {
    let points = run.values.iter().enumerate().map(|(at, value)| (float(run.start + at), *value));
    if per_column <= 1.0 {
        return points.collect();
    }
    let points: Vec<_> = points.collect();
    points.chunk_by(|a, b| (a.0 / per_column).floor() == (b.0 / per_column).floor()).flat_map(outline).collect()
}

fn outline(column: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
    let corners = [column.first(), column.iter().min_by(by_value), column.iter().max_by(by_value), column.last()];
    let mut kept: Vec<_> = corners.into_iter().flatten().copied().collect();
    kept.sort_by(|a, b| a.0.total_cmp(&b.0));
    kept.dedup();
    kept
}

/// Slots are counted in `u32`, which a float holds exactly.
fn float(slot: usize) -> f64 {
    f64::from(u32::try_from(slot).unwrap_or(u32::MAX))
}
