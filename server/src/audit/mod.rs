//! What `check` says of a source: problems, which somebody should mend, and notes, which are worth knowing.
//!
//! A problem makes what the console shows wrong or incomplete, or lets duplicates or losses through; it ends `check` with
//! 1. Everything else is a note, also what is only so at this moment, such as a queue without a consumer.
//!
//! Everything is asked at once and bounded; what cannot be asked is a note, never silence.

mod archive;
mod brokers;
mod clock;
mod locks;
mod rows;
mod signals;

use crate::clock::Clock;
use crate::ports::audit::{Account, Folds, Standing, Text};
use crate::ports::records::Description;
use crate::system::SourceSystem;
use app::model::{Audited, BrokerPanel, Fault, Fold, Note, Problem};
use futures::future::join_all;

/// Rows that are looked at.
const NEWEST: u32 = 100;

/// What was found of one source.
#[derive(Debug, Default)]
pub struct Findings {
    /// `None`: the table was not reached.
    pub description: Option<Description>,
    /// How far the database's clock is ahead of this machine's.
    pub clock_ahead_ms: Option<i64>,
    /// Address of the Redis that answered.
    pub locks: Option<String>,
    /// Those that answered.
    pub brokers: Vec<BrokerPanel>,
    pub problems: Vec<Problem>,
    pub notes: Vec<Note>,
}

impl Findings {
    fn trouble(&mut self, fault: Fault) {
        self.problems.push(Problem::Fault { fault });
    }

    /// What came back, else a note why not.
    fn seen<T>(&mut self, what: Audited, answer: Result<T, Fault>) -> Option<T> {
        answer.map_err(|fault| self.notes.push(Note::Unaudited { what, fault })).ok()
    }

    /// Each once: the description has some of them already.
    fn problem(&mut self, problem: Problem) {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}

pub async fn audit(source: &SourceSystem, clock: &dyn Clock) -> Findings {
    let mut found = Findings::default();
    let (description, archive, locks, signals, brokers) = tokio::join!(
        source.records.describe(),
        archive::archive(source, clock),
        locks::locks(source),
        signals::signals(source, clock),
        join_all(source.brokers.iter().map(|broker| broker.queues()))
    );
    match description {
        Ok(description) => {
            found.problems.extend(description.problems.iter().cloned());
            found.description = Some(description);
            table(source, clock, &mut found).await;
        }
        Err(fault) => {
            // A table that an account may not see looks like one that is not there.
            let hidden = matches!(fault, Fault::TableMissing { .. } | Fault::ColumnMissing { .. });
            found.trouble(fault);
            if hidden {
                let account = source.audit.account().await;
                account_of(source, account, &mut found);
            }
        }
    }
    if let Some(archive) = archive {
        archive::judge(source, archive, &mut found);
    }
    match locks {
        None => {}
        Some(Ok(locks)) => locks::judge(source, locks, &mut found),
        Some(Err(fault)) => found.trouble(fault),
    }
    match signals {
        None => {}
        Some(Ok(signals)) => signals::judge(signals, &mut found),
        Some(Err(fault)) => found.trouble(fault),
    }
    for answer in brokers {
        match answer {
            Ok(panel) => brokers::judge(&source.config.retry, panel, &mut found),
            Err(fault) => found.trouble(fault),
        }
    }
    found
}

async fn table(source: &SourceSystem, clock: &dyn Clock, found: &mut Findings) {
    let audit = &source.audit;
    let (account, standing, texts, ids, indexes, newest, apart) = tokio::join!(
        audit.account(),
        audit.standing(),
        audit.texts(),
        audit.ids(),
        audit.indexes(),
        audit.newest(NEWEST),
        clock::apart(source, clock),
    );
    for advice in found.seen(Audited::NewestRows, indexes).into_iter().flatten() {
        found.notes.push(Note::IndexWouldHelp { serves: advice.serves, suggested_ddl: advice.suggested_ddl });
    }
    if let Some(problem) = found.seen(Audited::Ids, ids).flatten().and_then(|ids| ids.problem()) {
        found.problem(problem);
    }
    let texts = found.seen(Audited::Collations, texts).unwrap_or_default();
    texts_of(&texts, found);
    let lacks = account_of(source, account, found);
    if let Some(Standing::Replica { behind_ms }) = found.seen(Audited::Replica, standing) {
        found.notes.push(Note::Replica { behind_ms });
    }
    let apart = found.seen(Audited::Clock, apart);
    if let Some(apart) = &apart {
        found.clock_ahead_ms = Some(apart.ahead_ms);
        found.problems.extend(apart.problem());
    }
    match newest {
        Ok(sample) => rows::judge(&sample, &texts, apart.map(|apart| apart.database_now), found),
        // Said already, with the statement that mends it.
        Err(_) if lacks => {}
        Err(fault) => found.trouble(fault),
    }
}

/// Whether a grant is missing.
fn account_of(source: &SourceSystem, account: Result<Account, Fault>, found: &mut Findings) -> bool {
    let Some(account) = found.seen(Audited::Grants, account) else { return false };
    let lacks = !account.missing.is_empty();
    found.problems.extend(account.missing.into_iter().map(|statement| Problem::MissingGrant { statement }));
    // Operations that change rows by this account need more than reading does.
    let operates = source.config.records.write.as_ref().is_some_and(|write| write.url.is_none());
    if !account.may_change.is_empty() && !operates {
        found.notes.push(Note::MayWrite { privileges: account.may_change });
    }
    lacks
}

fn texts_of(texts: &[Text], found: &mut Findings) {
    let folding: Vec<(&Text, &Vec<Fold>)> = (texts.iter())
        .filter_map(|text| match &text.folds {
            Folds::Some(folds) => Some((text, folds)),
            Folds::Nothing => None,
        })
        .collect();
    // One note for each collation: most tables have one.
    for (at, (first, folds)) in folding.iter().enumerate() {
        let same = |(text, _): &&(&Text, &Vec<Fold>)| text.collation == first.collation;
        if folding[..at].iter().any(|one| same(&one)) {
            continue;
        }
        let columns = folding[at..].iter().filter(same).map(|(text, _)| text.column.clone()).collect();
        found.notes.push(Note::Folding { columns, collation: first.collation.clone(), folds: (*folds).clone() });
    }
    for text in texts {
        if let Some(charset) = text.narrow_charset.clone() {
            found.notes.push(Note::NarrowCharset { column: text.column.clone(), charset });
        }
    }
}
