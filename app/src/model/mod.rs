//! The wire model: what `/api` answers, pages show and the command line prints. Codes and numbers, never sentences;
//! the sentences are made at the edge, in the reader's language (see [`crate::words`]).

mod archive;
mod audit;
mod beside;
mod brokers;
mod fault;
mod figure;
mod flash;
mod history;
mod lock_list;
mod locks;
mod lookup;
mod newer;
mod operate;
mod overview;
mod panel;
mod range;
mod record;
mod reference;
mod search;
mod settings;
mod signals;
mod signs;
pub mod time;
mod trace;
mod trail;
mod verdict;
mod viewer;
mod zone;

pub use archive::{
    Archive, ArchiveLeft, ArchiveNote, ArchivePlan, ArchivePolicy, ArchiveRefusal, ArchiveRestored, ArchiveRun,
    ArchiveStanding, ArchiveTable, ArchiveWarning, RestorePlan,
};
pub use audit::{Audited, CodeCount, Fold, IndexPurpose, Note, StatusCount};
pub use beside::Beside;
pub use brokers::{BrokerFacet, BrokerKind, BrokerPanel, BrokerView, Brokers, Group, MessageState, Queue};
pub use fault::{Fault, Layer};
pub use figure::{Count, Quality};
pub use flash::Flash;
pub use history::{Course, Minute};
pub use lock_list::{LockPlace, LocksQuery, first_of_each};
pub use locks::{Fit, Lock, LockRow, LockState, LocksFilter, LocksPanel, Measured, TtlFit};
pub use lookup::{Lookup, Operation, OperationName, WhyNot};
pub use newer::newer;
pub use operate::{
    ItemsPage, ItemsQuery, Operated, Outcome, Plan, PlanWarning, RowOperation, Run, RunItem, RunNote, RunsPage,
    Selected, Setback, Skip, Skipped, Undo,
};
pub use overview::{Attention, Overview};
pub use panel::{Freshness, Panel, PanelName, Trouble};
pub use range::{RangeProblem, Recent, Stretch, TimeRange, Wall};
pub use record::{
    AgeBucket, Pass, Record, RecordsPage, RecordsPanel, RecordsQuery, Row, Status, StatusFilter, TimeField, Window,
};
pub use reference::{BadReference, Pk, RecordRef};
pub use search::{
    Age, AuditQualifier, AuditSearch, Filter, Moment, MomentUnit, Pattern, Qualifier, Range, Search, SearchProblem,
    Since, Term, Wanted, Within,
};
pub use settings::{
    AuditBreak, Capability, CapabilityName, Health, Problem, Settings, SignalsSettings, SourceHead, SourceSettings,
    Strategy, StrategyChoice,
};
pub use signals::{
    Counts, Handling, HandlingFigures, Origin, Signal, SignalsPanel, TypeDuplicates, TypeSignals, Unreported,
};
pub use signs::Signs;
pub use trace::TraceEntry;
pub use trail::{
    AuditEntry, AuditEvent, AuditItem, AuditPage, AuditQuery, AuditRefusal, AuditStanding, AuditWhy, ChainCheck,
    ChainState,
};
pub use verdict::{Evidence, Verdict, VerdictCode, VerdictCount};
pub use viewer::{Lang, Role, Theme, Viewer};
pub use zone::Zone;
