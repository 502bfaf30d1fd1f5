//! How far the following of tables has come.

use super::{State, conformance};
use server::ports::state::{Checkpoint, StateError};

conformance!(progress_and_open_rows_are_kept_together, whoever_lost_the_lease_keeps_nothing);

fn checkpoint(progress: Option<&str>, add: &[&str], gone: &[&str]) -> Checkpoint {
    let owned = |tokens: &[&str]| tokens.iter().map(|token| (*token).to_owned()).collect();
    Checkpoint { table: "t".into(), progress: progress.map(str::to_owned), add: owned(add), gone: owned(gone) }
}

async fn progress_and_open_rows_are_kept_together(state: State) {
    let (followed, lease) = (&state.stores.followed, state.lease("collect").await);
    assert_eq!(followed.progress("points").await.unwrap(), []);
    followed.put(&lease, "points", &checkpoint(Some("1"), &["a", "b", "A"], &[])).await.unwrap();
    // A row that is there already, and one that never was.
    followed.put(&lease, "points", &checkpoint(None, &["a", "c"], &["b", "x"])).await.unwrap();
    followed.put(&lease, "coupons", &checkpoint(Some("9"), &["z"], &[])).await.unwrap();
    assert_eq!(followed.progress("points").await.unwrap(), [("t".to_owned(), "1".to_owned())]);
    let mut open = followed.open("points", "t", None).await.unwrap();
    let after_first = followed.open("points", "t", Some(&open[0])).await.unwrap();
    assert_eq!(after_first, open[1..]);
    open.sort();
    assert_eq!(open, ["A", "a", "c"]);
    followed.put(&lease, "points", &checkpoint(Some("2"), &[], &[])).await.unwrap();
    assert_eq!(followed.progress("points").await.unwrap(), [("t".to_owned(), "2".to_owned())]);
    followed.forget(&lease, "points", "t").await.unwrap();
    assert_eq!(followed.progress("points").await.unwrap(), []);
    assert!(followed.open("points", "t", None).await.unwrap().is_empty());
    assert_eq!(followed.open("coupons", "t", None).await.unwrap(), ["z"]);

    let many: Vec<String> = (0..6_000).map(|n| format!("{n:05}")).collect();
    let many = Checkpoint { add: many, ..checkpoint(Some("3"), &[], &[]) };
    followed.put(&lease, "points", &many).await.unwrap();
    let first = followed.open("points", "t", None).await.unwrap();
    let rest = followed.open("points", "t", first.last().map(String::as_str)).await.unwrap();
    assert_eq!((first.len(), rest.len()), (5_000, 1_000));
}

async fn whoever_lost_the_lease_keeps_nothing(state: State) {
    let followed = &state.stores.followed;
    let mut lost = state.lease("collect").await;
    lost.fence -= 1;
    let put = followed.put(&lost, "points", &checkpoint(Some("1"), &["a"], &[])).await;
    assert!(matches!(put, Err(StateError::Fenced { .. })), "{put:?}");
    assert_eq!(followed.progress("points").await.unwrap(), []);
    assert!(followed.open("points", "t", None).await.unwrap().is_empty());
}
