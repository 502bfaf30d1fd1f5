//! Record, lock and broker side by side, each as it was read for this page.

use super::verdict::unseen;
use super::{Data, csv};
use crate::context::PageContext;
use crate::model::{
    BrokerFacet, BrokerView, Evidence, Layer, Lock, LockState, Lookup, MessageState, Row, Status, TimeField,
};
use crate::ui::{Icon, Tone, csv_link, icon, lock_pill, pill, row_status};
use crate::words::{self, broker, lock as lock_word, lookup as word, measure, record as record_word, state};
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, lookup: &Lookup) -> AnyView {
    view! { <div class="layers3">{record(ctx, lookup)}{lock(ctx, lookup)}{queues(ctx, lookup)}</div> }.into_any()
}

/// Heads, states and facts of the three line up, so each has the same parts.
struct Facet {
    shape: Icon,
    name: &'static str,
    pill: AnyView,
    beside: Option<AnyView>,
    sub: String,
    facts: Vec<(&'static str, AnyView)>,
}

impl Facet {
    fn view(self, ctx: &PageContext) -> AnyView {
        let facts = (!self.facts.is_empty()).then(|| {
            let facts = self.facts.into_iter().map(|(name, value)| view! { <dt>{name}</dt><dd>{value}</dd> });
            view! { <dl class="kv">{facts.collect_view()}</dl> }
        });
        view! {
            <section class="panel layer">
                <header class="layer__head">
                    {icon(self.shape)}
                    <h2>{self.name}</h2>
                    <span class="fresh">{state::just_read(ctx.viewer.lang)}</span>
                </header>
                <div class="layer__state"><strong>{self.pill}{self.beside}</strong><span class="t2 s12">{self.sub}</span></div>
                {facts}
            </section>
        }
        .into_any()
    }
}

fn text(value: impl Into<String>) -> AnyView {
    let value: String = value.into();
    view! { <bdi>{value}</bdi> }.into_any()
}

fn mono(value: &str) -> AnyView {
    view! { <bdi class="mono s12">{value.to_owned()}</bdi> }.into_any()
}

/// What a handler said of its failure, which may be a whole stack.
fn said(error: &str) -> AnyView {
    /// Characters that are shown without a box to scroll.
    const SHORT: usize = 400;
    if error.len() <= SHORT {
        return mono(error);
    }
    view! { <bdi class="mono s12 long" tabindex="0">{error.to_owned()}</bdi> }.into_any()
}

fn soft(value: &'static str) -> AnyView {
    view! { <span class="t3">{value}</span> }.into_any()
}

fn record(ctx: &PageContext, lookup: &Lookup) -> AnyView {
    let lang = ctx.viewer.lang;
    let facet = |pill: AnyView, beside, sub: String, facts| Facet {
        shape: Icon::Records,
        name: record_word::record(lang),
        pill,
        beside,
        sub,
        facts,
    };
    if unseen(lookup, Layer::Records) {
        let pill = pill(Tone::Mute, Icon::Off, lock_word::unknown(lang));
        return facet(pill, None, word::database_unseen(lang).into(), Vec::new()).view(ctx);
    }
    match lookup.records.as_slice() {
        [] => facet(pill(Tone::Mute, Icon::Info, word::absent(lang)), None, word::absent_why(lang).into(), Vec::new())
            .view(ctx),
        [row] => {
            let beside = row.record.since().map(|at| {
                // "for in 8 h" would be no words.
                let word = (!ctx.clock().is_future(at)).then(|| word::for_age(lang));
                view! { <span class="layer__beside">{word}" "{ctx.clock().age(at)}</span> }.into_any()
            });
            let sub = row.record.r#type.clone().unwrap_or_else(|| record_word::no_type(lang).into());
            facet(row_status(lang, row), beside, sub, record_facts(ctx, row)).view(ctx)
        }
        [first, ..] => {
            let many = word::many(lang, lookup.records.len());
            let sub = words::status(lang, first.record.status).to_owned();
            facet(pill(Tone::Crit, Icon::Crit, many), None, sub, record_facts(ctx, first)).view(ctx)
        }
    }
}

fn record_facts(ctx: &PageContext, row: &Row) -> Vec<(&'static str, AnyView)> {
    let lang = ctx.viewer.lang;
    let clock = ctx.clock();
    let record = &row.record;
    let time = |at: Option<_>| at.map_or_else(|| soft(record_word::time_not_known(lang)), |at| clock.both(at));
    let or_none = |value: Option<&str>| value.map_or_else(|| soft(record_word::none_recorded(lang)), mono);
    let marked = |at: AnyView, field| {
        if row.ambiguous.contains(&field) { view! { {at}" "{soft(record_word::twice(lang))} }.into_any() } else { at }
    };
    let never_since = record.updated_at.is_some() && record.updated_at == record.created_at;
    let updated = match record.updated_at {
        Some(at) if never_since => {
            view! { {clock.at(at)}" "<span class="t3">{record_word::never_since(lang)}</span> }.into_any()
        }
        at => time(at),
    };
    vec![
        (record_word::table(lang), mono(&row.reference.table)),
        (record_word::id(lang), record.id.as_deref().map_or_else(|| soft(record_word::none_recorded(lang)), mono)),
        (record_word::created(lang), marked(time(record.created_at), TimeField::CreatedAt)),
        (record_word::updated(lang), marked(updated, TimeField::UpdatedAt)),
        (
            record_word::attempts(lang),
            record.attempts.map_or_else(|| soft(record_word::not_counted(lang)), |attempts| text(attempts.to_string())),
        ),
        (record_word::owner(lang), or_none(record.owner.as_deref())),
        (
            record_word::lease_until(lang),
            marked(
                record.lease_until.map_or_else(|| soft(record_word::none_recorded(lang)), |at| clock.at(at)),
                TimeField::LeaseUntil,
            ),
        ),
        (
            record_word::error(lang),
            record.error.as_deref().map_or_else(|| soft(record_word::none_recorded(lang)), said),
        ),
    ]
}

fn lock(ctx: &PageContext, lookup: &Lookup) -> AnyView {
    let lang = ctx.viewer.lang;
    let (pill, sub, facts) = match &lookup.lock {
        None => {
            let none = pill(Tone::Mute, Icon::Info, lock_word::none_configured_here(lang));
            (none, words::why_not(lang, &crate::model::WhyNot::NotConfigured), Vec::new())
        }
        Some(lock) => (lock_here(ctx, lookup, lock), lock_sub(ctx, lookup, lock), lock_facts(ctx, lock)),
    };
    Facet { shape: Icon::Lock, name: lock_word::lock(lang), pill, beside: None, sub, facts }.view(ctx)
}

/// No lock is nothing to speak of, unless the record is being processed.
fn lock_here(ctx: &PageContext, lookup: &Lookup, lock: &Lock) -> AnyView {
    let lang = ctx.viewer.lang;
    if lock.state == LockState::None && wants_lock(lookup) {
        return pill(Tone::Crit, Icon::Bare, words::lock_state(lang, lock.state));
    }
    lock_pill(lang, lock.state)
}

fn wants_lock(lookup: &Lookup) -> bool {
    lookup.records.iter().any(|row| row.record.status == Status::Processing)
}

fn not_named(lookup: &Lookup) -> bool {
    lookup.verdict.as_ref().is_some_and(|verdict| verdict.evidence.contains(&Evidence::LockNotNamed))
}

fn lock_sub(ctx: &PageContext, lookup: &Lookup, lock: &Lock) -> String {
    let lang = ctx.viewer.lang;
    match (lock.state, lock.ttl_ms) {
        (LockState::None, _) if wants_lock(lookup) => lock_word::wanted(lang).into(),
        (LockState::None, _) => lock_word::not_wanted(lang).into(),
        (LockState::Unknown, _) if not_named(lookup) => lock_word::not_named_here(lang).into(),
        (LockState::Unknown, _) => lock_word::unseen_here(lang).into(),
        (LockState::Done, _) => lock_word::marker(lang).into(),
        (_, Some(ms)) => lock_word::left_text(lang, measure::duration(lang, ms)),
        (_, None) => lock_word::forever(lang).into(),
    }
}

fn lock_facts(ctx: &PageContext, lock: &Lock) -> Vec<(&'static str, AnyView)> {
    let lang = ctx.viewer.lang;
    let left = match (lock.state, lock.ttl_ms) {
        (LockState::Unknown, _) => soft(measure::not_known(lang)),
        (LockState::None | LockState::Unprotected, _) => soft(lock_word::gone(lang)),
        (_, Some(ms)) => text(measure::duration(lang, ms)),
        (_, None) => text(lock_word::no_ttl(lang)),
    };
    let owner = match (&lock.owner, lock.state) {
        (Some(owner), _) => mono(owner),
        (None, LockState::Unknown) => soft(measure::not_known(lang)),
        (None, _) => soft(measure::none(lang)),
    };
    vec![(lock_word::key(lang), mono(&lock.key)), (lock_word::left(lang), left), (lock_word::owner(lang), owner)]
}

fn queues(ctx: &PageContext, lookup: &Lookup) -> AnyView {
    let lang = ctx.viewer.lang;
    let (pill, sub, facts) = match &lookup.broker {
        Some(facet) if !unseen(lookup, Layer::Broker) => {
            (broker_pill(ctx, facet), broker_sub(ctx, facet), broker_facts(ctx, facet))
        }
        None if !unseen(lookup, Layer::Broker) => {
            let none = pill(Tone::Mute, Icon::Info, broker::none_configured_here(lang));
            (none, broker::not_configured_why(lang).to_owned(), Vec::new())
        }
        _ => {
            (pill(Tone::Mute, Icon::Off, lock_word::unknown(lang)), broker::view_not_seen(lang).to_owned(), Vec::new())
        }
    };
    Facet { shape: Icon::Broker, name: broker::broker(lang), pill, beside: None, sub, facts }.view(ctx)
}

fn broker_pill(ctx: &PageContext, facet: &BrokerFacet) -> AnyView {
    let lang = ctx.viewer.lang;
    match (facet.view, facet.state) {
        (_, Some(MessageState::Dead)) => return pill(Tone::Warn, Icon::Warn, broker::state_dead(lang)),
        (_, Some(state)) => return pill(Tone::Busy, Icon::Broker, broker::state(lang, state)),
        (BrokerView::NotSeen, None) => return pill(Tone::Mute, Icon::Search, broker::not_there(lang)),
        (BrokerView::Message | BrokerView::Queue, None) => {}
    }
    match (facet.ready, facet.unacked, facet.dead) {
        (_, _, Some(dead)) if dead > 0 => pill(Tone::Warn, Icon::Warn, broker::in_dead_letter(lang)),
        (Some(0), Some(0), _) => pill(Tone::Mute, Icon::Info, broker::queues_empty(lang)),
        (Some(_), Some(_), _) => pill(Tone::Busy, Icon::Broker, broker::messages_there(lang)),
        _ => pill(Tone::Mute, Icon::Unknown, broker::not_known_here(lang)),
    }
}

fn broker_sub(ctx: &PageContext, facet: &BrokerFacet) -> String {
    let lang = ctx.viewer.lang;
    match facet.view {
        BrokerView::Message => broker::view_message(lang),
        BrokerView::Queue => broker::view_queue(lang),
        BrokerView::NotSeen => broker::view_not_there(lang),
    }
    .into()
}

fn broker_facts(ctx: &PageContext, facet: &BrokerFacet) -> Vec<(&'static str, AnyView)> {
    let lang = ctx.viewer.lang;
    let number = |value: Option<u64>| {
        value.map_or_else(|| soft(measure::not_known(lang)), |value| text(measure::grouped(value)))
    };
    let mut facts = Vec::new();
    if let Some(state) = facet.state {
        facts.push((broker::message_state(lang), text(broker::state(lang, state))));
    }
    if facet.deliveries.is_some() || facet.view == BrokerView::Message {
        facts.push((broker::deliveries(lang), number(facet.deliveries)));
    }
    facts.push((broker::ready(lang), number(facet.ready)));
    facts.push((broker::unacked(lang), number(facet.unacked)));
    facts.push((broker::dead_letter(lang), number(facet.dead)));
    facts
}

/// Where the key is not unique, each of its records with its own page.
pub(super) fn all_records(ctx: &PageContext, data: &Data, lookup: &Lookup) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    if lookup.records.len() < 2 {
        return None;
    }
    let clock = ctx.clock();
    let rows = lookup.records.iter().map(|row| {
        let record = &row.record;
        let of_type = record.r#type.clone().unwrap_or_else(|| record_word::no_type(lang).into());
        view! {
            <tr>
                <td class="lead key clip">{crate::pages::records::key_link(ctx, row)}</td>
                <td class="aside">{row_status(lang, row)}</td>
                <td class="s12 clip" data-h=record_word::r#type(lang)>{of_type}</td>
                <td class="mono s12" data-h=record_word::id(lang)>{record.id.clone()}</td>
                <td class="nowrap t3" data-h=record_word::created(lang)>{record.created_at.map(|at| clock.at(at))}</td>
                <td class="nowrap t3" data-h=record_word::updated(lang)>{record.updated_at.map(|at| clock.at(at))}</td>
            </tr>
        }
    });
    let csv = csv_link(word::same_key(lang), csv(data, lookup, "records"));
    Some(
        view! {
            <section class="panel panel--flush">
                <header class="panel__head"><h2>{word::same_key(lang)}</h2>{csv}</header>
                <div class="tablebox">
                    <table class="table table--tight table--cards">
                        <thead>
                            <tr>
                                <th scope="col">{record_word::key(lang)}</th>
                                <th scope="col">{record_word::status_head(lang)}</th>
                                <th scope="col">{record_word::r#type(lang)}</th>
                                <th scope="col">{record_word::id(lang)}</th>
                                <th scope="col">{record_word::created(lang)}</th>
                                <th scope="col">{record_word::updated(lang)}</th>
                            </tr>
                        </thead>
                        <tbody>{rows.collect_view()}</tbody>
                    </table>
                </div>
            </section>
        }
        .into_any(),
    )
}
