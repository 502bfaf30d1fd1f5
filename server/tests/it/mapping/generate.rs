//! One table with a column of each kind, random rows in it, and a random mapping over it.

use app::model::Status;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

#[derive(Debug, Clone)]
pub struct Case {
    pub mapping: Mapping,
    pub rows: Vec<Values>,
    pub indexed: bool,
}

/// A row; its id is its place.
#[derive(Debug, Clone)]
pub struct Values {
    pub word: Option<String>,
    pub number: Option<i64>,
    pub bytes: Option<Vec<u8>>,
    pub json: Option<Document>,
    pub topic: Option<String>,
    pub small: Option<i64>,
    pub code: Option<i64>,
    pub state: Option<String>,
    pub wall: Option<Wall>,
    /// Seconds or milliseconds since 1970, as the mapping has it.
    pub epoch: Option<i64>,
    pub written: Option<Written>,
    pub deleted: Option<i64>,
}

#[derive(Debug, Clone)]
pub enum Document {
    Members { k: Member, t: Member, escaped: bool },
    Broken,
    Blank,
}

#[derive(Debug, Clone)]
pub enum Member {
    Absent,
    Null,
    Text(String),
    /// As it is written.
    Plain(&'static str),
}

/// A wall clock of 2026, in microseconds since its beginning.
#[derive(Debug, Clone, Copy)]
pub struct Wall(pub i64);

#[derive(Debug, Clone)]
pub enum Written {
    Iso { wall: Wall, offset_minutes: Option<i32>, with_t: bool },
    Nonsense(&'static str),
    Blank,
}

#[derive(Debug, Clone)]
pub struct Mapping {
    pub zone: Zone,
    pub key: Vec<Part>,
    pub r#type: Vec<Part>,
    pub created: Vec<Time>,
    pub updated: Vec<Time>,
    pub lease: Vec<Time>,
    pub attempts: bool,
    pub error: Option<Part>,
    pub owner: bool,
    pub status: StatusBy,
    pub filters: Vec<Condition>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Word,
    Number,
    Bytes,
    Topic,
    Small,
    JsonK,
    JsonT,
    Constant(&'static str),
    TableName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    Utc,
    Shanghai,
    Kolkata,
    NewYork,
}

#[derive(Debug, Clone)]
pub struct Time {
    pub from: TimeFrom,
    /// `None`: the source's.
    pub zone: Option<Zone>,
    pub plus_s: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeFrom {
    Wall,
    Seconds,
    Millis,
    Written,
}

#[derive(Debug, Clone)]
pub enum StatusBy {
    Exists(Status),
    Codes(Vec<(Code, Status)>),
    States(Vec<(&'static str, Status)>),
    Rules { rules: Vec<(Status, Vec<Condition>)>, last: Last },
}

#[derive(Debug, Clone)]
pub enum Last {
    Nothing,
    Always(Status),
    Codes(Vec<(Code, Status)>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    One(i64),
    Range(i64, i64),
    Null,
}

#[derive(Debug, Clone)]
pub enum Condition {
    Null(Field, bool),
    CodeIs(i64),
    CodeIsNot(i64),
    CodeIn(Vec<i64>),
    TopicIs(&'static str),
    TopicIsNot(&'static str),
    DeletedIs(i64),
    DeletedIsNot(i64),
    /// Not for `where`.
    NumberBeyondSmall,
}

#[derive(Debug, Clone, Copy)]
pub enum Field {
    Wall,
    Epoch,
    Topic,
    Number,
    State,
    Json,
}

pub const TOPICS: [&str; 6] = ["a", "A", "é", "c:d", "", "订 单"];
const STATES: [&str; 7] = ["new", "NEW", "Done", "done ", "é", "É", "e"];
pub const STATUSES: [Status; 4] = [Status::Processing, Status::Completed, Status::Failed, Status::Dead];

pub fn case() -> impl Strategy<Value = Case> {
    (mapping(), vec(values(), 0..9), any::<bool>()).prop_map(|(mapping, rows, indexed)| Case { mapping, rows, indexed })
}

fn text() -> impl Strategy<Value = String> {
    vec(select(vec!["a", "B", ":", "é", "'", "\"", "%", "_", "\\", " ", "订", "🧾", "0"]), 0..4)
        .prop_map(|parts| parts.concat())
}

fn values() -> impl Strategy<Value = Values> {
    let first = (
        option::of(text()),
        option::of(select(vec![0, 1, -1, 7, i64::MAX, i64::MIN, 9_007_199_254_740_993])),
        option::of(vec(select(vec![0_u8, 0xff, 0x61]), 0..3)),
        option::of(document()),
        option::of(select(TOPICS.to_vec()).prop_map(str::to_owned)),
        option::of(-2_i64..3),
    );
    let second = (
        option::of(-1_i64..6),
        option::of(select(STATES.to_vec()).prop_map(str::to_owned)),
        option::of(wall()),
        option::of(prop_oneof![Just(0), 1_i64..4_000_000_000]),
        option::of(written()),
        option::of(0_i64..2),
    );
    (first, second).prop_map(
        |((word, number, bytes, json, topic, small), (code, state, wall, epoch, written, deleted))| Values {
            word,
            number,
            bytes,
            json,
            topic,
            small,
            code,
            state,
            wall,
            epoch,
            written,
            deleted,
        },
    )
}

fn document() -> impl Strategy<Value = Document> {
    let member = || {
        prop_oneof![
            Just(Member::Absent),
            Just(Member::Null),
            text().prop_map(Member::Text),
            select(vec!["1.0", "18446744073709551617", "true", "[1, {\"x\":2}]", "-0.50e3"]).prop_map(Member::Plain),
        ]
    };
    prop_oneof![
        8 => (member(), member(), any::<bool>()).prop_map(|(k, t, escaped)| Document::Members { k, t, escaped }),
        1 => Just(Document::Broken),
        1 => Just(Document::Blank),
    ]
}

/// Often near the clock changes of New York.
fn wall() -> impl Strategy<Value = Wall> {
    const HOUR: i64 = 3_600_000_000;
    let near = |day: i64| (day * 24 * HOUR)..(day * 24 * HOUR + 4 * HOUR);
    prop_oneof![
        0_i64..365 * 24 * HOUR,
        near(66),
        near(304),
        (0_i64..365 * 24 * 3_600).prop_map(|seconds| seconds * 1_000_000)
    ]
    .prop_map(Wall)
}

fn written() -> impl Strategy<Value = Written> {
    let offset = option::of(select(vec![0, 480, -300, 330]));
    prop_oneof![
        6 => (wall(), offset, any::<bool>()).prop_map(|(wall, offset_minutes, with_t)| Written::Iso { wall, offset_minutes, with_t }),
        1 => select(vec!["yesterday", "2026-13-01", "12:00", "2026-02-30 00:00:00"]).prop_map(Written::Nonsense),
        1 => Just(Written::Blank),
    ]
}

fn mapping() -> impl Strategy<Value = Mapping> {
    let keys = vec![Part::Word, Part::Number, Part::Bytes, Part::JsonK, Part::Small];
    let types = vec![
        Part::Constant("c"),
        Part::Topic,
        Part::Small,
        Part::TableName,
        Part::Constant("c:d"),
        Part::JsonT,
        Part::Word,
    ];
    let times = || (vec(time(), 0..3)).boxed();
    (
        (zone(), subsequence(keys, 1..=3).prop_shuffle(), subsequence(types, 0..=3).prop_shuffle()),
        (times(), times(), times(), any::<bool>()),
        (option::of(select(vec![Part::Topic, Part::JsonT])), any::<bool>(), status(), vec(filter(), 0..3)),
    )
        .prop_map(|((zone, key, r#type), (created, updated, lease, attempts), (error, owner, status, filters))| {
            Mapping { zone, key, r#type, created, updated, lease, attempts, error, owner, status, filters }
        })
}

fn zone() -> impl Strategy<Value = Zone> {
    select(vec![Zone::Utc, Zone::Shanghai, Zone::Kolkata, Zone::NewYork])
}

fn time() -> impl Strategy<Value = Time> {
    let from = select(vec![TimeFrom::Wall, TimeFrom::Seconds, TimeFrom::Millis, TimeFrom::Written]);
    (from, option::of(zone()), select(vec![0, 0, 300])).prop_map(|(from, zone, plus_s)| Time { from, zone, plus_s })
}

fn any_status() -> impl Strategy<Value = Status> {
    select(STATUSES.to_vec())
}

fn codes() -> impl Strategy<Value = Vec<(Code, Status)>> {
    let codes = vec![Code::One(0), Code::One(1), Code::One(2), Code::Null, Code::Range(3, 4), Code::Range(2, 5)];
    subsequence(codes, 1..=6).prop_flat_map(|codes| {
        let count = codes.len();
        (Just(codes), vec(any_status(), count)).prop_map(|(codes, statuses)| codes.into_iter().zip(statuses).collect())
    })
}

fn status() -> impl Strategy<Value = StatusBy> {
    let states = subsequence(vec!["New", "done", "É"], 1..=3).prop_flat_map(|words| {
        let count = words.len();
        (Just(words), vec(any_status(), count))
            .prop_map(|(words, of)| StatusBy::States(words.into_iter().zip(of).collect()))
    });
    let last = prop_oneof![Just(Last::Nothing), any_status().prop_map(Last::Always), codes().prop_map(Last::Codes)];
    let rules = (vec((any_status(), vec(condition(), 1..3)), 1..4), last);
    prop_oneof![
        1 => any_status().prop_map(StatusBy::Exists),
        3 => codes().prop_map(StatusBy::Codes),
        2 => states,
        3 => rules.prop_map(|(rules, last)| StatusBy::Rules { rules, last }),
    ]
}

fn filter() -> impl Strategy<Value = Condition> {
    let field = select(vec![Field::Wall, Field::Epoch, Field::Topic, Field::Number, Field::State, Field::Json]);
    prop_oneof![
        (field, any::<bool>()).prop_map(|(field, null)| Condition::Null(field, null)),
        (-1_i64..6).prop_map(Condition::CodeIs),
        (-1_i64..6).prop_map(Condition::CodeIsNot),
        vec(-1_i64..6, 1..4).prop_map(Condition::CodeIn),
        select(TOPICS.to_vec()).prop_map(Condition::TopicIs),
        select(TOPICS.to_vec()).prop_map(Condition::TopicIsNot),
        (0_i64..2).prop_map(Condition::DeletedIs),
        (0_i64..2).prop_map(Condition::DeletedIsNot),
    ]
}

fn condition() -> impl Strategy<Value = Condition> {
    prop_oneof![7 => filter(), 1 => Just(Condition::NumberBeyondSmall)]
}
