//! Which index serves a list, newest first.
//!
//! The statuses are enumerated wherever an index leads with them, also when a list is of all: a condition on the time
//! alone would not use it. An index that goes on with a time that the search bounds is asked for that stretch only.

use super::bound::{Stretch, Style, Styles};
use super::catalogue::Column;
use super::dialect::{Direction, candidates};
use super::open::{exceeds, occurring};
use super::piece::ways;
use super::raw::Raw;
use super::select::Selection;
use super::shape::{Order, Shape};
use super::store::Store;
use super::time::Time;
use super::walk::{Part, Streams, Walk, code_order};
use app::model::{Fault, Wanted, Within};
use std::cmp::Ordering;

/// A list of more codes than this would be more statements than it is worth.
const MOST_CODES: usize = 16;

/// How a walk steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stride {
    /// The index gives what is wanted: whole rows, as many as a page needs.
    Page,
    /// Others are met as well: narrow rows in growing chunks, and the whole of those that match.
    Search,
}

/// `None`: no index serves the filter.
pub async fn served(store: &Store, shape: &Shape, wanted: &Wanted) -> Result<Option<(Streams, Stride)>, Fault> {
    Choice { store, shape, wanted }.best().await
}

struct Choice<'a> {
    store: &'a Store,
    shape: &'a Shape,
    wanted: &'a Wanted,
}

/// Columns that have one value each in a stream.
#[derive(Default)]
struct Equal {
    /// With its codes: one stream for each.
    status: Option<(Column, Vec<Raw>)>,
    r#type: Option<(Column, Raw)>,
}

impl Equal {
    fn streams(&self, order: Order) -> Streams {
        let equal = self.r#type.iter().cloned().collect();
        Streams { order, equal, codes: self.status.clone(), part: Part::all() }
    }
}

#[derive(Clone, Copy)]
enum Ordered {
    ByBoundedTime,
    Somehow,
}

impl Choice<'_> {
    async fn best(&self) -> Result<Option<(Streams, Stride)>, Fault> {
        for (equal, order) in self.ways().await? {
            let found = match order {
                Ordered::ByBoundedTime => self.by_time(&equal).await?,
                Ordered::Somehow => self.somehow(&equal).await?,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        let is_all = *self.wanted == Wanted::default();
        Ok(self.shape.whole().filter(|_| is_all).map(|order| (Streams::all(order), self.stride(true))))
    }

    /// Ways to read, the narrowest first.
    async fn ways(&self) -> Result<Vec<(Equal, Ordered)>, Fault> {
        use Ordered::{ByBoundedTime, Somehow};
        let (r#type, status) = (self.r#type(), self.status().await?);
        let of_status = || Equal { status: status.clone(), r#type: None };
        let mut ways = Vec::new();
        if self.wanted.status.is_some() && status.is_some() {
            let with_type = || r#type.clone().map(|of| Equal { status: status.clone(), r#type: Some(of) });
            for order in [ByBoundedTime, Somehow] {
                ways.extend(with_type().map(|equal| (equal, order)));
                ways.push((of_status(), order));
            }
        }
        if r#type.is_some() {
            let of_type = || Equal { status: None, r#type: r#type.clone() };
            ways.extend([ByBoundedTime, Somehow].map(|order| (of_type(), order)));
        }
        ways.push((Equal::default(), ByBoundedTime));
        if self.wanted.status.is_none() && status.is_some() {
            ways.push((of_status(), ByBoundedTime));
        }
        Ok(ways)
    }

    fn r#type(&self) -> Option<(Column, Raw)> {
        let pieces = &self.shape.r#type;
        let at = pieces.iter().position(|piece| piece.column().is_some())?;
        // Constants are as they are; of two columns the text does not say where one ends.
        if pieces.iter().enumerate().any(|(other, piece)| other != at && piece.read().is_some()) {
            return None;
        }
        let (column, wanted) = (pieces[at].column()?, *ways(pieces, self.wanted.r#type.as_ref()?).first()?.get(at)?);
        // An empty type may be NULL as well, which is two values.
        match candidates(column, wanted).as_slice() {
            [value] if !wanted.is_empty() => Some((column.clone(), value.clone())),
            _ => None,
        }
    }

    /// The codes of the status that is wanted; of all, where a time is.
    async fn status(&self) -> Result<Option<(Column, Vec<Raw>)>, Fault> {
        let Some(column) = &self.shape.status else { return Ok(None) };
        // Which codes occur is found by the index alone.
        let leads = self.shape.catalogue.indexes.iter().any(|index| index.columns[0] == column.name);
        let of_time = !self.times().is_empty();
        if !leads || (self.wanted.status.is_none() && !of_time) {
            return Ok(None);
        }
        let occurring = occurring(self.store, self.shape, column).await?;
        let codes = self.wanted.status.map_or_else(|| occurring.all(), |status| occurring.of(status));
        Ok((codes.len() <= MOST_CODES).then(|| (column.clone(), codes)))
    }

    /// The streams of an index that goes on with a time that the search bounds.
    async fn by_time(&self, equal: &Equal) -> Result<Option<(Streams, Stride)>, Fault> {
        for order in self.orders(equal) {
            let Some(lead) = self.lead_of(&order) else { continue };
            let mut streams = equal.streams(order);
            if let Some(part) = self.part(&streams, &lead).await? {
                streams.part = part;
                if self.is_heap(&streams).await? {
                    continue;
                }
                let is_all = self.is_covered_by(equal) && lead.covers == self.times().len() && !lead.else_created;
                return Ok(Some((streams, self.stride(is_all))));
            }
        }
        Ok(None)
    }

    /// The streams of any index that goes on in an order worth paging by.
    async fn somehow(&self, equal: &Equal) -> Result<Option<(Streams, Stride)>, Fault> {
        for order in self.orders(equal) {
            let streams = equal.streams(order);
            if !self.is_heap(&streams).await? {
                let is_all = self.is_covered_by(equal) && self.times().is_empty();
                return Ok(Some((streams, self.stride(is_all))));
            }
        }
        Ok(None)
    }

    /// Many rows without a time, in an index that says no order among them: each page would sort them all.
    async fn is_heap(&self, streams: &Streams) -> Result<bool, Fault> {
        let lead = &streams.order.by[0];
        if !(lead.nullable && streams.part.unknown) || self.is_sorted_to_the_end(&streams.order) {
            return Ok(false);
        }
        let codes: Vec<Option<&Raw>> = match &streams.codes {
            Some((_, codes)) => codes.iter().map(Some).collect(),
            None => vec![None],
        };
        for code in codes {
            let of_code = streams.codes.iter().zip(code).map(|((column, _), code)| (column, code));
            let equal = streams.equal.iter().map(|(column, value)| (column, value));
            let fixed: Vec<(&Column, &Raw)> = of_code.chain(equal).chain([(lead, &Raw::Null)]).collect();
            if exceeds(self.store, self.shape, &fixed, lead).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The index orders rows that share its first columns too.
    fn is_sorted_to_the_end(&self, order: &Order) -> bool {
        let Some(index) = self.shape.catalogue.indexes.iter().find(|index| Some(&index.name) == order.index.as_ref())
        else {
            return true;
        };
        let Some(lead) = index.columns.iter().position(|column| *column == order.by[0].name) else { return false };
        let tie = order.by[1..].iter().map(|column| &column.name);
        let behind = index.columns[lead + 1..]
            .iter()
            .chain(self.shape.catalogue.primary.iter().filter(|_| index.carries_primary));
        behind.take(order.by.len() - 1).eq(tie)
    }

    /// But for times.
    fn is_covered_by(&self, equal: &Equal) -> bool {
        let Wanted { status, r#type, key, owner, attempts, .. } = self.wanted;
        (status.is_none() || equal.status.is_some())
            && (r#type.is_none() || equal.r#type.is_some())
            && key.is_none()
            && owner.is_none()
            && attempts.is_none()
    }

    /// What is not of this source is met as well, and there may be much of it.
    fn stride(&self, is_all: bool) -> Stride {
        if is_all && self.shape.belongs.is_empty() { Stride::Page } else { Stride::Search }
    }

    /// Of the indexes whose first columns are exactly these.
    fn orders(&self, equal: &Equal) -> Vec<Order> {
        let status = equal.status.iter().map(|(column, _)| column.name.as_str());
        let equal: Vec<&str> = status.chain(equal.r#type.iter().map(|(column, _)| column.name.as_str())).collect();
        let fits = |columns: &[String]| columns.iter().all(|column| equal.contains(&column.as_str()));
        (self.shape.catalogue.indexes.iter())
            .filter(|index| index.columns.split_at_checked(equal.len()).is_some_and(|(prefix, _)| fits(prefix)))
            .filter_map(|index| self.shape.order_after(index, equal.len()))
            .collect()
    }

    /// The times that the search bounds, each by one column.
    fn times(&self) -> Vec<Bounded<'_>> {
        let alone = |times: &'_ [Time]| times.len() == 1;
        let (created, updated) = (self.shape.created.as_slice(), self.shape.updated.as_slice());
        // A record that was never changed is as old as it is.
        let since = if updated.is_empty() { created } else { updated };
        let else_created = !updated.is_empty() && !created.is_empty();
        let all = [
            (since, self.wanted.since, else_created),
            (updated, self.wanted.updated, false),
            (created, self.wanted.created, false),
        ];
        (all.into_iter())
            .filter(|(_, within, _)| !within.is_everything())
            .map(|(times, within, else_created)| Bounded {
                time: times.first().filter(|_| alone(times)),
                within,
                else_created,
            })
            .collect()
    }

    /// What is known of the first column of an order.
    fn lead_of(&self, order: &Order) -> Option<Lead<'_>> {
        let leads = |time: &Time| order.by.first().is_some_and(|column| column.name == time.column.name);
        let mut lead: Option<Lead<'_>> = None;
        for bounded in self.times() {
            let Some(time) = bounded.time.filter(|time| leads(time)) else { continue };
            lead = Some(match lead {
                None => Lead { time, within: bounded.within, else_created: bounded.else_created, covers: 1 },
                Some(lead) => Lead {
                    within: both(lead.within, bounded.within),
                    else_created: lead.else_created && bounded.else_created,
                    covers: lead.covers + 1,
                    ..lead
                },
            });
        }
        lead
    }

    /// Where the wanted rows lie in the order; `None`: anywhere.
    async fn part(&self, streams: &Streams, lead: &Lead<'_>) -> Result<Option<Part>, Fault> {
        let dialect = self.shape.dialect;
        let styles = if lead.time.is_text() {
            self.styles(streams, lead).await?
        } else {
            Styles { low: Style::Spaced, high: Style::Spaced }
        };
        let Some(mut main) = lead.time.stretch(dialect, lead.within, styles) else { return Ok(None) };
        if !lead.else_created {
            return Ok(Some(Part { stretches: vec![main], unknown: false }));
        }
        // What stands there for "none" counts as well: then the creation does.
        let floor = lead.time.floor(dialect);
        let above = lead.time.ceiling(dialect).filter(|_| main.high.is_some());
        let below = match (&main.low, floor) {
            (None, _) => None,
            (Some(low), Some(floor)) if code_order(&floor, low) == Ordering::Less => Some(floor),
            (Some(_), _) => {
                main.low = None;
                None
            }
        };
        let above = above.map(|low| Stretch { low: Some(low), high: None });
        let below = below.map(|high| Stretch { low: None, high: Some(high) });
        let stretches = above.into_iter().chain([main]).chain(below).collect();
        Ok(Some(Part { stretches, unknown: true }))
    }

    /// How text times are written around the ends of a stretch. Of one day those with a T are greater than those with a
    /// space: its greatest text says whether any with a T is there, its least whether any with a space is.
    async fn styles(&self, streams: &Streams, lead: &Lead<'_>) -> Result<Styles, Fault> {
        let (first, behind) = lead.time.days(lead.within);
        // Of other shapes the greatest says so: all of them are above what is written with hyphens.
        let found = self.texts(streams, Stretch::default(), Direction::Older).await?;
        if found.contains(&Style::Other) {
            return Ok(Styles { low: Style::Other, high: Style::Other });
        }
        let mut styles = Styles { low: Style::Spaced, high: Style::Spaced };
        if let Some(high) = behind {
            let found = self.texts(streams, Stretch { low: None, high: Some(high) }, Direction::Older).await?;
            styles.high = found.into_iter().max().unwrap_or(Style::Spaced);
        }
        if let Some(low) = first {
            let found = self.texts(streams, Stretch { low: Some(low), high: None }, Direction::Newer).await?;
            styles.low = found.into_iter().min().unwrap_or(Style::Spaced);
            if styles.low == Style::Offset {
                styles.high = Style::Offset;
            }
        }
        if styles.high == Style::Offset {
            styles.low = Style::Offset;
        }
        Ok(styles)
    }

    /// The style of the first time of each stream.
    async fn texts(&self, streams: &Streams, stretch: Stretch, direction: Direction) -> Result<Vec<Style>, Fault> {
        let part = Part { stretches: vec![stretch], unknown: false };
        let lead = &streams.order.by[..1];
        let selection = Selection::of(streams.order.by.iter());
        let codes: Vec<Option<Raw>> = match &streams.codes {
            Some((_, codes)) => codes.iter().cloned().map(Some).collect(),
            None => vec![None],
        };
        let mut found = Vec::new();
        for code in codes {
            let of_code = streams.codes.as_ref().zip(code).map(|((column, _), code)| (column.clone(), vec![code]));
            let one = Streams { codes: of_code, part: part.clone(), ..streams.clone() };
            let (store, shape) = (self.store, self.shape);
            let walk = Walk { store, shape, selection: &selection, streams: &one, direction };
            for (_, cells) in walk.next(None, 1).await? {
                if let [Raw::Text(text)] = selection.values(&cells, lead).as_slice() {
                    found.push(Style::of(text));
                }
            }
        }
        Ok(found)
    }
}

/// A time that the search bounds.
struct Bounded<'a> {
    /// `None`: several columns say it.
    time: Option<&'a Time>,
    within: Within,
    else_created: bool,
}

/// What is known of an order's first column.
struct Lead<'a> {
    time: &'a Time,
    within: Within,
    /// Rows without a value there may match by their creation.
    else_created: bool,
    /// How many of the search's times it covers.
    covers: usize,
}

fn both(one: Within, other: Within) -> Within {
    Within { from: one.from.max(other.from), to: [one.to, other.to].into_iter().flatten().min() }
}
