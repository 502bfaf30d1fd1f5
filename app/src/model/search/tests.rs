use super::*;
use crate::model::Fault;
use chrono::NaiveDate;
use proptest::prelude::*;

fn parse(text: &str) -> Search {
    Search::parse(text).unwrap_or_else(|fault| panic!("{text}: {fault}"))
}

/// `character, what was found, why`.
fn refused(text: &str) -> (u32, String, SearchProblem) {
    match Search::parse(text) {
        Err(Fault::BadSearch { at, found, problem }) => (at, found, problem),
        other => panic!("{text}: {other:?}"),
    }
}

fn key(text: &str) -> Pattern {
    let Search { status: None, r#type: None, filter: Filter { key: Some(key), .. } } = parse(text) else {
        panic!("{text}")
    };
    key
}

#[test]
fn every_qualifier_in_any_order() {
    let search = parse("  status:processing age:>10m type:ORDER_DONE key:2023* owner:points-7c4f* attempts:>3 ");
    assert_eq!((search.status, search.r#type.as_deref()), (Some(Status::Processing), Some("ORDER_DONE")));
    let Filter { key, owner, age, attempts, created: None, updated: None } = &search.filter else { panic!() };
    assert_eq!(key, &Some(Pattern::Begins("2023".into())));
    assert_eq!(owner, &Some(Pattern::Begins("points-7c4f".into())));
    assert_eq!((age, attempts), (&Some(Range::Above(Age(600))), &Some(Range::Above(3))));
    assert_eq!(
        search.to_string(),
        "status:processing type:ORDER_DONE key:2023* owner:points-7c4f* age:>10m attempts:>3"
    );
    assert_eq!(parse(""), Search::default());
    assert_eq!(parse("Status：FAILED　AGE:＞1h30min"), parse("age:>90m status:failed"), "from a Chinese keyboard");
}

#[test]
fn a_key_may_hold_colons_stars_quotes_and_spaces() {
    let is = |text: &str| Pattern::Is(text.into());
    let begins = |text: &str| Pattern::Begins(text.into());
    for (text, expected) in [
        ("20231027001", is("20231027001")),
        ("key:a:b", is("a:b")),
        ("a:b", is("a:b")),
        ("a:b:*", begins("a:b:")),
        ("key:status:7", is("status:7")),
        (":", is(":")),
        ("http://x/?a=b", is("http://x/?a=b")),
        ("\"a b\"", is("a b")),
        ("key:\"a b\"*", begins("a b")),
        ("key:\"a*\"", is("a*")),
        ("key:a**", begins("a*")),
        ("key:\"\"", is("")),
        ("key:\"say \\\"x\\\" \\\\ \\n\"", is("say \"x\" \\ \\n")),
        ("key:O'Brien\"s", is("O'Brien\"s")),
        ("key:订单-七", is("订单-七")),
        ("page:5", is("page:5")),
        ("'; DROP TABLE x; --", is("';")),
    ] {
        if let Ok(search) = Search::parse(text) {
            assert_eq!(search.filter.key, Some(expected.clone()), "{text}");
            assert_eq!(key(&format!("key:{expected}")), expected, "{text}");
        } else {
            assert_eq!(refused(text).2, SearchProblem::Doubled(Qualifier::Key), "{text}");
        }
    }
}

#[test]
fn what_cannot_be_read_is_named_with_its_place() {
    use SearchProblem::*;
    let found = |text: &str| {
        let (at, found, problem) = refused(text);
        (at, found, problem)
    };
    for (text, at, what, problem) in [
        ("stauts:failed", 1, "stauts", UnknownQualifier(Qualifier::Status)),
        ("x state:failed", 3, "state", UnknownQualifier(Qualifier::Status)),
        ("typ:A", 1, "typ", UnknownQualifier(Qualifier::Type)),
        ("status:failed status:dead", 15, "status:dead", Doubled(Qualifier::Status)),
        ("a b", 3, "b", Doubled(Qualifier::Key)),
        ("status:", 1, "status:", NoValue(Qualifier::Status)),
        ("key:*", 5, "*", NoValue(Qualifier::Key)),
        ("status:lost", 8, "lost", NoStatus),
        ("age:10m", 5, "10m", NoAge),
        ("age:>10", 5, ">10", NoAge),
        ("age:>ten", 5, ">ten", NoAge),
        ("age:>99999999999999999999d", 5, ">99999999999999999999d", NoAge),
        ("age:>200000d", 5, ">200000d", NoAge),
        ("age:2h..1h", 5, "2h..1h", Reversed),
        ("created:>yesterday", 9, ">yesterday", NoMoment),
        ("created:2026-02-30", 9, "2026-02-30", NoMoment),
        ("updated:>=2026-11-29T25:00", 9, ">=2026-11-29T25:00", NoMoment),
        ("attempts:>many", 10, ">many", NoNumber),
        ("key:\"a b", 5, "\"a b", Unclosed),
        ("type:\"A\"B", 9, "B", AfterQuote),
        ("订单 status:lost", 11, "lost", NoStatus),
    ] {
        assert_eq!(found(text), (at, what.to_owned(), problem), "{text}");
        assert!(!problem.accepted().is_empty());
    }
    assert_eq!(found(&"x".repeat(9_000)).2, TooLong);
}

#[test]
fn one_term_can_be_taken_away_or_replaced() {
    let search = parse("status:failed age:>10m key:a*");
    assert_eq!(search.without(Qualifier::Age).to_string(), "status:failed key:a*");
    assert_eq!(search.clone().replaced_by(parse("age:>1h b")).to_string(), "status:failed key:b age:>1h");
    assert!(search.clone().beside(Some(Status::Dead), None).is_err());
    assert_eq!(search.beside(None, Some("T".into())).unwrap().to_string(), "status:failed type:T key:a* age:>10m");
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z0-9:_.-]{1,12}", "\\PC{0,12}", any::<String>().prop_map(|text| text.chars().take(40).collect())]
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let begins = text().prop_filter_map("no filter", |text| (!text.is_empty()).then_some(Pattern::Begins(text)));
    prop_oneof![text().prop_map(Pattern::Is), begins]
}

fn range<T: Copy + PartialOrd + std::fmt::Debug + 'static>(
    one: impl Strategy<Value = T> + Clone + 'static,
) -> impl Strategy<Value = Range<T>> {
    (0..6, one.clone(), one).prop_map(|(kind, a, b)| match kind {
        0 => Range::Is(a),
        1 => Range::Above(a),
        2 => Range::AtLeast(a),
        3 => Range::Below(a),
        4 => Range::AtMost(a),
        _ if a <= b => Range::Between(a, b),
        _ => Range::Between(b, a),
    })
}

fn moment() -> impl Strategy<Value = Moment> + Clone {
    let units = prop_oneof![Just(MomentUnit::Day), Just(MomentUnit::Minute), Just(MomentUnit::Second)];
    let offset = proptest::option::of(-14 * 60..14 * 60_i32);
    (0..2_000_000_000_u32, units, offset).prop_map(|(seconds, unit, offset)| {
        let second = NaiveDate::from_ymd_opt(1970, 1, 1).unwrap().and_hms_opt(0, 0, 0).unwrap()
            + chrono::TimeDelta::seconds(i64::from(seconds));
        let (wall, offset) = match unit {
            MomentUnit::Day => (second.date().and_hms_opt(0, 0, 0).unwrap(), None),
            MomentUnit::Minute => (second - chrono::TimeDelta::seconds(i64::from(seconds % 60)), offset),
            MomentUnit::Second => (second, offset),
        };
        Moment { wall, unit, offset }
    })
}

fn some_search() -> impl Strategy<Value = Search> {
    use proptest::option::of;
    let status = of(proptest::sample::select(Status::ALL.to_vec()));
    let age = range((0..=36_525 * 86_400_u64).prop_map(Age)).prop_filter("no age", |age| !matches!(age, Range::Is(_)));
    let filter =
        (of(pattern()), of(pattern()), of(age), of(range(moment())), of(range(moment())), of(range(any::<i64>())));
    (status, of(text()), filter).prop_map(|(status, r#type, (key, owner, age, created, updated, attempts))| Search {
        status,
        r#type,
        filter: Filter { key, owner, age, created, updated, attempts },
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(search in some_search()) {
        prop_assert_eq!(parse(&search.to_string()), search);
    }

    #[test]
    fn anything_is_read_or_refused(text in any::<String>()) {
        if let Err(fault) = Search::parse(&text) {
            let is_refusal = matches!(fault, Fault::BadSearch { .. });
            prop_assert!(is_refusal, "{:?}", fault);
        }
    }

    #[test]
    fn qualifiers_with_any_value_are_read_or_refused(at in 0..Qualifier::ALL.len(), value in "[-<>=.:0-9a-zTZ\"\\\\* ]{0,16}") {
        let text = format!("{}:{value}", Qualifier::ALL[at].as_str());
        if let Ok(search) = Search::parse(&text) {
            prop_assert_eq!(parse(&search.to_string()), search);
        }
    }
}
