//! What went wrong, in words.

use super::measure;
use crate::model::{Fault, Lang, Layer, Status};

words! {
    database: "the database", "数据库";
    broker: "the broker", "消息队列";
    signals: "what consumers report", "消费者上报的数据";
    archive: "the archive", "归档表";
    own_database: "Oncewatch’s own database", "Oncewatch 自己的数据库";
    // In a sentence's middle; in Chinese with the space that Latin needs before it.
    redis_object: "Redis", " Redis";
    own_database_object: "Oncewatch’s own database", " Oncewatch 自己的数据库";
    // At the start of a sentence; in Chinese with the space that Latin needs before what follows.
    database_subject: "The database", "数据库";
    redis_subject: "Redis", "Redis ";
    broker_subject: "The broker", "消息队列";
    signals_subject: "What consumers report", "消费者上报的数据";
    archive_subject: "The archive", "归档表";
    own_database_subject: "Oncewatch’s own database", "Oncewatch 自己的数据库";

    unreachable(layer, detail): "{layer} cannot be reached: {detail}", "{layer}连接不上：{detail}";
    refused(layer): "{layer} refused the user name or password", "{layer}拒绝了用户名或密码";
    timed_out(layer, limit): "{layer} did not answer within {limit}", "{layer}在 {limit} 内没有应答";
    table_missing(table): "There is no table {table}", "没有表 {table}";
    column_missing(table, column): "Table {table} has no column {column}", "表 {table} 没有列 {column}";
    unreadable(layer, detail):
        "{layer} answered something that cannot be read: {detail}",
        "{layer}的应答无法解析：{detail}";
    no_source(name): "There is no source {name}", "没有名为 {name} 的数据源";
    not_configured(layer): "{layer} is not configured for this source", "{layer}未在这个数据源中配置";
    bad_input(what, detail): "{what} cannot be read: {detail}", "{what} 无法识别：{detail}";
    bad_status(known): "There is no such status; these are known: {known}", "没有这种状态，已知的有：{known}";
    bad_cursor:
        "The cursor cannot be read: begin again at the first page",
        "翻页位置（cursor）无法识别，请从第一页重新开始";
    bad_reference: "The address names no record", "地址没有指向任何记录";
    type_needed:
        "The table has too many types to try them all: give the type as well",
        "这张表的类型太多，无法逐一尝试，请同时给出类型";
    internal(id): "Something broke inside Oncewatch, request {id}", "Oncewatch 内部出错，请求 {id}";
}

/// A layer inside a sentence.
#[must_use]
pub fn layer(lang: Lang, layer: Layer) -> &'static str {
    match layer {
        Layer::Records => database(lang),
        Layer::Lock => "Redis",
        Layer::Broker => broker(lang),
        Layer::State => own_database(lang),
        Layer::Signals => signals(lang),
        Layer::Archive => archive(lang),
    }
}

/// A layer behind a verb, without a space between.
pub(crate) fn layer_object(lang: Lang, of: Layer) -> &'static str {
    match of {
        Layer::Lock => redis_object(lang),
        Layer::State => own_database_object(lang),
        Layer::Records | Layer::Broker | Layer::Signals | Layer::Archive => layer(lang, of),
    }
}

/// A layer at the start of a sentence.
pub(crate) fn layer_subject(lang: Lang, layer: Layer) -> &'static str {
    match layer {
        Layer::Records => database_subject(lang),
        Layer::Lock => redis_subject(lang),
        Layer::Broker => broker_subject(lang),
        Layer::State => own_database_subject(lang),
        Layer::Signals => signals_subject(lang),
        Layer::Archive => archive_subject(lang),
    }
}

/// One line, without a full stop, so that it can stand in a list.
#[must_use]
pub fn fault(lang: Lang, fault: &Fault) -> String {
    let subject = |layer: &Layer| layer_subject(lang, *layer);
    match fault {
        Fault::Unreachable { layer, detail } => unreachable(lang, subject(layer), detail),
        Fault::Refused { layer } => refused(lang, subject(layer)),
        Fault::TimedOut { layer, after_ms } => timed_out(lang, subject(layer), measure::limit(lang, *after_ms)),
        Fault::TableMissing { table } => table_missing(lang, table),
        Fault::ColumnMissing { table, column } => column_missing(lang, table, column),
        Fault::Unreadable { layer, detail } => unreadable(lang, subject(layer), detail),
        Fault::NoSource { source_name } => no_source(lang, source_name),
        Fault::NotConfigured { layer } => not_configured(lang, subject(layer)),
        Fault::BadInput { what, detail } => match what.as_str() {
            "status" => bad_status(lang, Status::ALL.map(Status::as_str).join(", ")),
            "cursor" => bad_cursor(lang).into(),
            "ref" => bad_reference(lang).into(),
            "type" => type_needed(lang).into(),
            // Of the configuration or of a script's request: for whoever wrote it.
            _ => bad_input(lang, what, detail),
        },
        Fault::BadSearch { at, found, problem } => super::search::bad_search(lang, *at, found, *problem),
        Fault::BadRange { parameter, found, problem } => super::range::bad_range(lang, parameter, found, *problem),
        Fault::Internal { request_id } => internal(lang, request_id),
    }
}
