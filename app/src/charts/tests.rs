use super::{
    Bar, BarChart, Height, Hue, Limit, Line, LineChart, Point, Severity, Span, Spark, Stroke, bars, bars_table, line,
    line_table, spark,
};
use crate::model::Zone;
use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;

fn now() -> DateTime<Utc> {
    "2026-11-29T08:42:10Z".parse().unwrap()
}

fn shanghai() -> Zone {
    Zone { name: "Asia/Shanghai".into(), offsets: vec![(0, 8 * 3600)] }
}

/// One reading a minute, the last in the newest slot; `None` was not read.
fn points(values: &[Option<f64>]) -> Vec<Point> {
    let newest: DateTime<Utc> = "2026-11-29T08:41:00Z".parse().unwrap();
    let back = |at: usize| TimeDelta::minutes(i64::try_from(values.len() - 1 - at).unwrap());
    values
        .iter()
        .enumerate()
        .filter_map(|(at, value)| value.map(|value| Point { at: newest - back(at), value }))
        .collect()
}

fn of_line(name: &str, hue: Hue, values: &[Option<f64>]) -> Line {
    Line { name: name.into(), hue, stroke: Stroke::Solid, points: points(values) }
}

fn chart(slots: u32, lines: Vec<Line>) -> LineChart {
    LineChart {
        finding: "Processing records rose".into(),
        span: Span::minutes(now(), slots),
        zone: shanghai(),
        unit: String::new(),
        lines,
        limits: vec![],
        no_data: "no data".into(),
        height: Height::Usual,
    }
}

fn bar(label: &str, value: f64) -> Bar {
    Bar { label: label.into(), value, shown: None, notes: vec![], hue: Hue::Busy }
}

fn bar_chart(bars: Vec<Bar>) -> BarChart {
    BarChart { finding: "By age".into(), bars, no_data: "no data".into() }
}

/// One element a line, so that a change of the golden file can be read.
fn golden(svg: &str) -> String {
    svg.replace("><", ">\n<")
}

/// For the journey that has WebAssembly draw the same.
fn input(chart: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(chart).unwrap()
}

/// Every number of the attributes that place something, as (attribute, number).
fn numbers(svg: &str) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    for name in ["x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height", "points"] {
        for part in svg.split(&format!(" {name}=\"")).skip(1) {
            let value = part.split('"').next().unwrap();
            for (at, number) in value.split([' ', ',']).enumerate() {
                let axis = if name == "points" { ["x", "y"][at % 2] } else { name };
                found.push((axis.to_owned(), number.parse().unwrap_or_else(|_| panic!("{name}={number:?}"))));
            }
        }
    }
    found
}

/// What holds of every drawing: well formed, styled by classes only, each coordinate inside the view box.
fn sound(svg: &str) {
    assert!(svg.starts_with("<svg class=\"") && svg.ends_with("</svg>"), "{svg}");
    for never in ["style=", "fill=", "stroke=", "NaN", "inf", "<script"] {
        assert!(!svg.contains(never), "{never} in {svg}");
    }
    let view_box = svg.split("viewBox=\"0 0 ").nth(1).unwrap().split('"').next().unwrap();
    let (width, height) = view_box.split_once(' ').unwrap();
    let (width, height): (f64, f64) = (width.parse().unwrap(), height.parse().unwrap());
    for (axis, number) in numbers(svg) {
        let most = if axis.contains('x') || axis == "width" { width } else { height };
        assert!((0.0..=most).contains(&number), "{axis}={number} outside of {view_box}: {svg}");
    }
}

fn polylines(svg: &str) -> Vec<Vec<f64>> {
    let lines =
        svg.split("<polyline ").skip(1).map(|part| part.split("points=\"").nth(1).unwrap().split('"').next().unwrap());
    lines
        .map(|points| points.split(' ').map(|point| point.split(',').next().unwrap().parse().unwrap()).collect())
        .collect()
}

#[test]
fn two_lines_with_a_threshold_and_a_gap() {
    let values: Vec<_> = (0..180)
        .map(|at| (!(90..100).contains(&at)).then_some(if at < 130 { 3.0 } else { f64::from(at - 130) / 3.0 + 3.0 }))
        .collect();
    let mut chart = chart(180, vec![of_line("P99", Hue::Crit, &values)]);
    chart.unit = "s".into();
    chart.lines.push(Line {
        stroke: Stroke::Dashed,
        ..of_line("P50", Hue::Base, &values.iter().map(|value| value.map(|value| value / 3.0)).collect::<Vec<_>>())
    });
    chart.limits.push(Limit { name: "lock TTL".into(), value: 15.0, severity: Severity::Crit });
    let svg = line(&chart);
    sound(&svg);
    insta::assert_snapshot!(golden(&svg));
    insta::assert_snapshot!("line.input", input(&chart));
}

#[test]
fn bars_by_age() {
    let mut chart = bar_chart(vec![bar("< 15 s", 212.0), bar("15–60 s", 96.0), bar("> 30 min", 0.0)]);
    chart.bars.push(Bar {
        shown: Some("10,000+".into()),
        hue: Hue::Crit,
        notes: vec!["71 %".into()],
        ..bar("订单完成", 10_000.0)
    });
    let svg = bars(&chart);
    sound(&svg);
    insta::assert_snapshot!(golden(&svg));
    insta::assert_snapshot!("bars.input", input(&chart));
}

#[test]
fn a_sparkline() {
    let values: Vec<_> =
        [1, 1, 2, 3].into_iter().map(|value| Some(f64::from(value))).chain([None, Some(8.0), Some(9.5)]).collect();
    let drawn = Spark { span: Span::minutes(now(), 7), points: points(&values), limit: Some(8.0) };
    let svg = spark(&drawn);
    sound(&svg);
    insta::assert_snapshot!(golden(&svg));
    insta::assert_snapshot!("spark.input", input(&drawn));
}

#[test]
fn nothing_read_is_a_gap_and_no_zero() {
    for empty in [
        chart(180, vec![]),
        chart(180, vec![of_line("ready", Hue::Busy, &[])]),
        chart(1, vec![of_line("ready", Hue::Busy, &[])]),
    ] {
        let svg = line(&empty);
        sound(&svg);
        assert!(svg.contains("class=\"gap\"") && svg.contains("no data"), "{svg}");
        assert!(!svg.contains("class=\"line"), "{svg}");
    }
    let svg = bars(&bar_chart(vec![]));
    sound(&svg);
    assert!(svg.contains("class=\"gap\"") && svg.contains("no data"), "{svg}");
    let svg = bars(&bar_chart(vec![bar("x", f64::NAN)]));
    sound(&svg);
    assert!(svg.contains("no data") && !svg.contains("<rect"), "{svg}");
    sound(&spark(&Spark { span: Span::minutes(now(), 60), points: vec![], limit: None }));
}

#[test]
fn a_lone_reading_is_a_dot() {
    let svg = line(&chart(5, vec![of_line("ready", Hue::Busy, &[Some(1.0), None, None, None, None])]));
    sound(&svg);
    assert!(svg.contains("<circle class=\"f-busy\""), "{svg}");
}

#[test]
fn the_running_minute_is_not_drawn() {
    let mut one = chart(3, vec![of_line("ready", Hue::Busy, &[Some(1.0), Some(1.0), Some(1.0)])]);
    let before = line(&one);
    one.lines[0].points.push(Point { at: "2026-11-29T08:42:00Z".parse().unwrap(), value: 900.0 });
    assert_eq!(line(&one), before);
}

#[test]
fn a_newest_minute_that_is_not_written_yet_is_no_gap() {
    let svg = line(&chart(3, vec![of_line("ready", Hue::Busy, &[Some(1.0), Some(7.0), None])]));
    assert!(!svg.contains("gap"), "{svg}");
    assert!(svg.contains(">7</text>"), "{svg}");
}

#[test]
fn a_line_that_ended_earlier_shows_no_value_as_if_it_were_now() {
    let svg = line(&chart(4, vec![of_line("ready", Hue::Busy, &[Some(1.0), Some(77.0), None, None])]));
    assert!(!svg.contains(">77</text>") && svg.contains(">ready</text>"), "{svg}");
}

#[test]
fn times_are_round_in_the_shown_zone() {
    let mut one = chart(180, vec![of_line("ready", Hue::Busy, &[Some(1.0)])]);
    assert!(line(&one).contains(">16:00</text>"), "{}", line(&one));
    one.zone = Zone { name: "Asia/Kathmandu".into(), offsets: vec![(0, 5 * 3600 + 45 * 60)] };
    assert!(line(&one).contains(">14:00</text>"), "{}", line(&one));
}

#[test]
fn a_limit_is_named_over_a_gap_and_over_lines() {
    let mut one = chart(60, vec![of_line("P99", Hue::Crit, &[Some(9.0)])]);
    one.limits.push(Limit { name: "TTL".into(), value: 15.0, severity: Severity::Crit });
    let svg = line(&one);
    sound(&svg);
    let place = |what: &str| svg.find(what).unwrap_or_else(|| panic!("no {what} in {svg}"));
    assert!(place("class=\"gap\"") < place("class=\"limit\""), "{svg}");
    assert!(place("class=\"f-crit\"") < place(">TTL 15</text>"), "{svg}");
}

#[test]
fn days_and_years_are_told_with_what_tells_them_apart() {
    let days = |slots: u32| {
        let span = Span { now: "2026-11-29T00:00:00Z".parse().unwrap(), step_s: 86_400, slots };
        let readings = span.starts().map(|at| Point { at, value: 1.0 }).collect();
        let lines = vec![Line { points: readings, ..of_line("ready", Hue::Busy, &[]) }];
        LineChart { span, ..chart(0, lines) }
    };
    let quarter = line(&days(90));
    sound(&quarter);
    assert!(quarter.contains(">11-19</text>"), "{quarter}");
    // In the shown zone a day of UTC begins at eight.
    assert_eq!(line_table(&days(90), "Time").rows[89], ["11-28 08:00", "1"]);
    let all = line(&days(400));
    sound(&all);
    assert!(all.contains(">2026-10-22</text>"), "{all}");
    assert_eq!(line_table(&days(400), "Time").rows[0], ["2025-10-25 08:00", "1"]);
}

#[test]
fn labels_cannot_break_out() {
    let hostile = "</text><script>alert(\"1\")</script>&'😀\u{0}";
    let mut one = chart(3, vec![of_line(hostile, Hue::Busy, &[Some(1.0), Some(2.0), Some(3.0)])]);
    one.finding = hostile.into();
    one.unit = hostile.into();
    one.no_data = hostile.into();
    one.limits.push(Limit { name: hostile.into(), value: 2.0, severity: Severity::Warn });
    let mut many =
        bar_chart(vec![Bar { notes: vec![hostile.into()], shown: Some(hostile.into()), ..bar(hostile, 1.0) }]);
    many.finding = hostile.into();
    for svg in [line(&one), bars(&many)] {
        assert!(!svg.contains("<script") && !svg.contains('\u{0}'), "{svg}");
        assert!(svg.contains("aria-label=\"&lt;/text&gt;&lt;script&gt;alert(&quot;1&quot;)"), "{svg}");
    }
}

#[test]
fn ten_thousand_points_keep_their_peak() {
    let mut values = vec![Some(5.0); 10_000];
    values[4321] = Some(4000.0);
    let svg = line(&chart(10_000, vec![of_line("ready", Hue::Busy, &values)]));
    sound(&svg);
    assert!(svg.len() < 40_000, "{} bytes", svg.len());
    assert!(svg.contains(",14.5"), "the peak reaches the top tick");
}

#[test]
fn tables_hold_the_same_numbers() {
    let mut one = chart(3, vec![of_line("P99", Hue::Crit, &[Some(1.25), None, Some(1790.0)])]);
    one.unit = "s".into();
    let table = line_table(&one, "Time");
    assert_eq!(
        (table.head.as_slice(), table.lines.as_slice()),
        (["Time".into(), "P99 (s)".into()].as_slice(), ["".into(), "l-crit".into()].as_slice())
    );
    assert_eq!(table.rows, [["16:39", "1.25"], ["16:40", "no data"], ["16:41", "1,790"]]);
    let table = bars_table(&bar_chart(vec![bar("< 15 s", 212.0)]), ["Age", "Records"]);
    assert_eq!(
        (table.head, table.rows),
        (vec!["Age".into(), "Records".into()], vec![vec!["< 15 s".into(), "212".into()]])
    );
}

fn any_value() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        4 => (0.0..50_000.0_f64).prop_map(Some),
        2 => (0_u32..20).prop_map(|value| Some(f64::from(value))),
        1 => any::<f64>().prop_map(Some),
        1 => Just(Some(f64::NAN)),
        1 => Just(Some(f64::INFINITY)),
        2 => Just(None),
    ]
}

proptest! {
    #[test]
    fn lines_stay_sound_whatever_is_read(
        values in proptest::collection::vec(any_value(), 0..300),
        others in proptest::collection::vec(any_value(), 0..300),
        limit in any::<f64>(),
        words in ("\\PC{0,40}", "\\PC{0,8}", "\\PC{0,40}"),
    ) {
        let slots = u32::try_from(values.len()).unwrap();
        let mut one = chart(slots, vec![of_line(&words.0, Hue::Lock, &values), of_line("other", Hue::Index, &others)]);
        one.unit = words.1;
        one.limits.push(Limit { name: words.2, value: limit, severity: Severity::Crit });
        one.limits.push(Limit { name: "recovery".into(), value: limit * 0.9, severity: Severity::Ok });
        let svg = line(&one);
        sound(&svg.replace("NaN", "").replace("inf", ""));
        for xs in polylines(&svg) {
            prop_assert!(xs.is_sorted(), "{xs:?}");
        }
    }

    #[test]
    fn sparklines_stay_sound(values in proptest::collection::vec(any_value(), 0..300), limit in proptest::option::of(any::<f64>())) {
        let span = Span::minutes(now(), u32::try_from(values.len()).unwrap());
        sound(&spark(&Spark { span, points: points(&values), limit }));
    }

    #[test]
    fn bars_stay_sound(many in proptest::collection::vec(("\\PC{0,60}", any_value(), proptest::option::of("\\PC{0,20}")), 0..30)) {
        let bars_of = |(label, value, shown): (String, Option<f64>, Option<String>)| Bar { shown, ..bar(&label, value.unwrap_or(0.0)) };
        let svg = bars(&bar_chart(many.into_iter().map(bars_of).collect()));
        let words = ["style=", "fill=", "stroke=", "NaN", "inf"].into_iter().fold(svg, |svg, word| svg.replace(word, ""));
        sound(&words);
    }
}
