//! `restore`: shows which archived records would be put back, then puts them back.

use super::archive::not_begun;
use super::operate::{actor, counted};
use super::{Exit, Failure, Given, Io, need_sources, one_source, print_json, table};
use crate::action::archive::{NoSelection, RestoreAsk, Which, restore, to_restore};
use crate::boot::{self, Role};
use app::model::{ArchiveRestored, Row};
use chrono::{DateTime, Utc};
use serde::Serialize;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// May be left out where only one is configured.
    #[arg(long)]
    source: Option<String>,
    /// Records of this key.
    #[arg(long, conflicts_with_all = ["from", "to"])]
    key: Option<String>,
    #[arg(long, requires = "key")]
    r#type: Option<String>,
    /// Records that were changed last at this time or later, as in 2026-11-29T08:00:00Z.
    #[arg(long, value_name = "TIME", requires = "to")]
    from: Option<DateTime<Utc>>,
    /// And before this one.
    #[arg(long, value_name = "TIME", requires = "from")]
    to: Option<DateTime<Utc>>,
    /// Shows what would be done, and does nothing.
    #[arg(long)]
    dry_run: bool,
    /// Does it without another question.
    #[arg(long)]
    yes: bool,
    /// Why; kept in the audit.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    found: u64,
    /// The first of them.
    sample: &'a [Row],
    /// `null`: nothing was done.
    restored: Option<ArchiveRestored>,
}

impl Args {
    fn which(&self) -> Result<Which, Failure> {
        Which::said(self.key.clone(), self.r#type.clone(), self.from, self.to).map_err(|problem| {
            Failure::Usage(match problem {
                NoSelection::Reversed => "--from must be before --to".into(),
                NoSelection::Nothing => "say which records: --key, or --from and --to".into(),
            })
        })
    }
}

pub(super) async fn run(args: Args, given: &Given<'_>, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let config = given.config()?;
    need_sources(&config)?;
    let which = args.which()?;
    let reason = args.reason.clone().unwrap_or_default();
    if args.yes && !args.dry_run && reason.trim().is_empty() {
        return Err(Failure::Usage("every operation needs a --reason".into()));
    }
    let system = boot::system(config, Role::Cli).await?;
    let source = one_source(&system.sources, args.source.as_deref())?.config.name.clone();
    let (found, sample) = to_restore(&system, &source, &which).await.map_err(not_begun)?;
    let restored = if args.yes && !args.dry_run && found > 0 {
        let operation_id = uuid::Uuid::new_v4().to_string();
        let ask = RestoreAsk { operation_id, source, which, most: None, actor: actor(given.environment), reason };
        Some(restore(&system, &ask).await.map_err(not_begun)?)
    } else {
        None
    };
    if args.json {
        print_json(io.out, &Answer { found, sample: &sample, restored })?;
    } else {
        print(found, &sample, restored.as_ref(), io)?;
    }
    match restored {
        Some(restored) => Ok(if restored.done >= found { Exit::Done } else { Exit::No }),
        None if found == 0 => {
            writeln!(io.err, "Nothing would be done.")?;
            Ok(Exit::No)
        }
        None if args.dry_run => Ok(Exit::Done),
        None => {
            writeln!(io.err, "Nothing was done: give the command again with --yes and a --reason.")?;
            Ok(Exit::No)
        }
    }
}

fn print(found: u64, sample: &[Row], restored: Option<&ArchiveRestored>, io: &mut Io<'_>) -> Result<(), Failure> {
    let Some(ArchiveRestored { done, exists, gone, locked }) = restored else {
        writeln!(io.out, "Restore {}", counted(found))?;
        let rows: Vec<_> = (sample.iter())
            .map(|row| {
                let record = &row.record;
                let since = record.since().map(app::model::time::text);
                [record.id.clone(), record.r#type.clone(), record.key.clone(), since]
            })
            .collect();
        if !rows.is_empty() {
            table::print(io.out, ["id", "type", "key", "since"], &rows)?;
        }
        return Ok(());
    };
    writeln!(io.out, "{} restored", counted(*done))?;
    let reasons =
        [(*exists, "its key is there again"), (*gone, "gone meanwhile"), (*locked, "held by other transactions")];
    for (count, reason) in reasons.into_iter().filter(|(count, _)| *count > 0) {
        writeln!(io.out, "left alone: {}, {reason}", counted(count))?;
    }
    Ok(())
}
