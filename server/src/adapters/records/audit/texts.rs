//! How the columns of key and type compare texts: what a collation takes for one, the unique index does too.

use super::super::catalogue::Column;
use super::super::dialect::Dialect;
use super::super::piece;
use super::super::shape::Shape;
use super::super::store::Store;
use super::{Line, ask};
use crate::ports::audit::{Folds, Text};
use app::model::{Fault, Fold};
use sea_query::Value;

pub async fn texts(store: &Store, shape: &Shape) -> Result<Vec<Text>, Fault> {
    let table = &shape.mapping.table;
    let (schema, name) = (Value::from(table.schema.clone()), Value::from(table.table.clone()));
    let found: Vec<Text> = match shape.dialect {
        Dialect::MySql => ask(store, MYSQL, vec![schema, name], 5).await?.iter().filter_map(mysql).collect(),
        Dialect::Postgres => ask(store, POSTGRES, vec![name, schema], 6).await?.iter().filter_map(postgres).collect(),
        Dialect::Sqlite => ask(store, SQLITE, vec![name, schema], 2).await?.iter().filter_map(sqlite).collect(),
    };
    let of = |column: &Column| found.iter().find(|text| text.column == column.name).cloned();
    Ok(piece::columns(&shape.r#type).chain(piece::columns(&shape.key)).filter_map(of).collect())
}

fn mysql(line: &Line) -> Option<Text> {
    let (collation, charset) = (line.text(1)?.to_owned(), line.text(2)?);
    let sized = matches!(line.text(4)?, "char" | "varchar");
    Some(Text {
        column: line.text(0)?.to_owned(),
        folds: mysql_folds(&collation),
        narrow_charset: matches!(charset, "utf8" | "utf8mb3" | "ucs2").then(|| charset.to_owned()),
        length: if sized { line.text(3).and_then(|length| length.parse().ok()) } else { None },
        collation,
    })
}

/// By the collation's name, as both engines build it.
fn mysql_folds(collation: &str) -> Folds {
    let has = |part: &str| collation.split('_').any(|one| one == part);
    let mut folds = Vec::new();
    if has("ci") {
        folds.push(Fold::Case);
    }
    if has("ai") || (has("ci") && !has("as")) {
        folds.push(Fold::Accents);
    }
    // Those of UCA 9.0.0 in MySQL and those named so in MariaDB keep spaces at the end; all others ignore them.
    if collation != "binary" && !has("nopad") && !has("0900") {
        folds.push(Fold::Padding);
    }
    if folds.is_empty() { Folds::Nothing } else { Folds::Some(folds) }
}

fn postgres(line: &Line) -> Option<Text> {
    let base = line.text(1)?;
    let collation = line.text(2).unwrap_or("default");
    let nondeterministic = line.text(3) == Some("false");
    let (collation, folds) = match base {
        "citext" => ("citext", Folds::Some(vec![Fold::Case])),
        "bpchar" if !nondeterministic => ("character", Folds::Some(vec![Fold::Padding])),
        "text" | "varchar" | "bpchar" if nondeterministic => {
            let locale = line.text(4).unwrap_or_default();
            let folds = match () {
                () if locale.contains("ks-level1") => vec![Fold::Case, Fold::Accents],
                () if locale.contains("ks-level2") => vec![Fold::Case],
                () => Vec::new(),
            };
            (collation, Folds::Some(folds))
        }
        "text" | "varchar" => (collation, Folds::Nothing),
        _ => return None,
    };
    Some(Text {
        column: line.text(0)?.to_owned(),
        collation: collation.to_owned(),
        folds,
        narrow_charset: None,
        length: line.text(5).and_then(|length| length.parse().ok()),
    })
}

/// A column's collation counts where its index has it, so that is what is read.
fn sqlite(line: &Line) -> Option<Text> {
    let collation = line.text(1)?.to_owned();
    let folds = match collation.to_ascii_uppercase().as_str() {
        "NOCASE" => Folds::Some(vec![Fold::Case]),
        "RTRIM" => Folds::Some(vec![Fold::Padding]),
        "BINARY" => Folds::Nothing,
        _ => Folds::Some(Vec::new()),
    };
    Some(Text { column: line.text(0)?.to_owned(), collation, folds, narrow_charset: None, length: None })
}

const MYSQL: &str = "SELECT CAST(column_name AS CHAR), CAST(collation_name AS CHAR), CAST(character_set_name AS CHAR), \
    CAST(character_maximum_length AS CHAR), CAST(data_type AS CHAR) FROM information_schema.columns \
    WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?";

/// Through JSON, because the catalogue's columns have come and changed their names between versions.
const POSTGRES: &str = "SELECT a.attname::text, t.typname::text, co.collname::text, to_jsonb(co)->>'collisdeterministic', \
    COALESCE(to_jsonb(co)->>'colllocale', to_jsonb(co)->>'colliculocale', to_jsonb(co)->>'collcollate'), \
    CASE WHEN t.typname IN ('varchar', 'bpchar') THEN \
        NULLIF(CASE declared.typtype WHEN 'd' THEN declared.typtypmod ELSE a.atttypmod END, -1) - 4 END::text \
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
    JOIN pg_type declared ON declared.oid = a.atttypid \
    JOIN pg_type t ON t.oid = CASE declared.typtype WHEN 'd' THEN declared.typbasetype ELSE declared.oid END \
    LEFT JOIN pg_collation co ON co.oid = a.attcollation \
    WHERE c.relname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') \
    AND CASE WHEN $2::text IS NULL THEN pg_table_is_visible(c.oid) ELSE n.nspname = $2::text END";

const SQLITE: &str = r#"SELECT x.name, x.coll FROM pragma_index_list(?1, COALESCE(?2, 'main')) l,
    pragma_index_xinfo(l.name, COALESCE(?2, 'main')) x WHERE x.key = 1 AND x.name IS NOT NULL ORDER BY l."unique" DESC"#;

#[cfg(test)]
mod tests {
    use super::{Fold, Folds, mysql_folds};

    #[test]
    fn a_collation_says_by_its_name_what_it_folds() {
        use Fold::{Accents, Case, Padding};
        for (collation, folds) in [
            ("utf8mb4_general_ci", vec![Case, Accents, Padding]),
            ("utf8mb4_0900_ai_ci", vec![Case, Accents]),
            ("utf8mb4_0900_as_ci", vec![Case]),
            ("utf8mb4_uca1400_as_cs", vec![Padding]),
            ("utf8mb4_uca1400_nopad_ai_ci", vec![Case, Accents]),
            ("latin1_swedish_ci", vec![Case, Accents, Padding]),
            ("utf8mb4_bin", vec![Padding]),
        ] {
            assert_eq!(mysql_folds(collation), Folds::Some(folds), "{collation}");
        }
        for collation in ["binary", "utf8mb4_0900_bin", "utf8mb4_nopad_bin", "utf8mb4_zh_0900_as_cs"] {
            assert_eq!(mysql_folds(collation), Folds::Nothing, "{collation}");
        }
    }
}
