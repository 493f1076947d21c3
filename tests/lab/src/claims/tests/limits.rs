//! How far a check may be off that is known not to hold. Formulas stand for measurements, so that nothing has to run.

use super::super::finding::{remark, Finding};
use super::super::results::Cases;
use super::super::write_limits::rewritten;
use super::super::{chapters, ClaimSet, Verdict};
use super::{checking, with, HEAD};

/// A half.
const HALF: &str = r#"model = "share", with = { part = "1Mbps", whole = "2Mbps" }"#;
/// The same twice, at two points: 0.71 Mbit/s.
const TWICE: &str = r#"model = "mathis", run = "varied", where = { loss = "3%" }, with = { packet = "1250B", rtt = "100ms", loss = "{loss}" }"#;
/// At two more points, too, at which there is no number.
const FOUR_TIMES: &str = r#"model = "mathis", run = "varied", with = { packet = "1250B", rtt = "100ms", loss = "{loss}" }"#;

const WHY: &str = "deviates = \"for a reason\"";

fn judged<T>(set: ClaimSet, look: impl Fn(&Verdict<'_>) -> T) -> T {
    let sets = [set];
    let cases = Cases::of(&sets);
    assert!(cases.plans.is_empty(), "formulas need no run");
    look(&chapters(&sets, &cases, &[])[0].verdicts[0])
}

/// What became of a check, and what is told about it.
fn finding(measure: &str, relation: &str) -> (Finding, String) {
    judged(checking(measure, relation).unwrap(), |verdict| {
        let check = &verdict.checks[0];
        let told = remark(check).map(|remark| {
            assert_eq!(remark.wrong, !verdict.as_expected());
            remark.text
        });
        (check.finding(), told.unwrap_or_default())
    })
}

#[test]
fn a_check_is_held_against_its_own_bound_and_one_that_deviates_against_its_limit() {
    for (relation, wanted) in [
        ("bound = \"<= 60%\"".to_owned(), Finding::Holds),
        ("bound = \"<= 40%\"".into(), Finding::Fails),
        (format!("bound = \"<= 40%\"\n{WHY}"), Finding::NoLimit),
        (
            format!("bound = \"<= 40%\"\n{WHY}\nlimit = {{ bound = \"<= 50%\" }}"),
            Finding::WithinLimit,
        ),
        (
            format!("bound = \"<= 40%\"\n{WHY}\nlimit = {{ bound = \"<= 49%\" }}"),
            Finding::BeyondLimit,
        ),
        (
            format!("bound = \"<= 60%\"\n{WHY}\nlimit = {{ bound = \"<= 70%\" }}"),
            Finding::HoldsNow,
        ),
        (
            format!("bound = \"<= 50.1%\"\n{WHY}\nlimit = {{ bound = \"<= 55%\" }}"),
            Finding::HoldsBarely,
        ),
        (
            format!("less_than = {{ {HALF} }}\nfactor = 0.5\n{WHY}\nlimit = {{ factor = 1.0 }}"),
            Finding::WithinLimit,
        ),
        (
            format!("less_than = {{ {HALF} }}\nfactor = 0.5\n{WHY}\nlimit = {{ plus = \"24%\" }}"),
            Finding::BeyondLimit,
        ),
        (
            format!("greater_than = {{ {HALF} }}\nfactor = 1.5\n{WHY}\nlimit = {{ factor = 0.95 }}"),
            Finding::WithinLimit,
        ),
        (
            "equals = { model = \"share\", with = { part = \"1Mbps\", whole = \"4Mbps\" } }\nwithin = \"10%\"\ndeviates = \"for a reason\"\nlimit = { within = \"110%\" }".into(),
            Finding::WithinLimit,
        ),
    ] {
        assert_eq!(finding(HALF, &relation).0, wanted, "{relation}");
    }
}

#[test]
fn points_that_fail_are_counted() {
    let bound = format!("bound = \"<= 0.1Mbps\"\n{WHY}");
    for (limit, wanted) in [
        ("bound = \"<= 1Mbps\"", Finding::WithinLimit),
        (
            "bound = \"<= 1Mbps\", points = \"2 of 2\"",
            Finding::WithinLimit,
        ),
        (
            "bound = \"<= 1Mbps\", points = \"1 of 2\"",
            Finding::BeyondLimit,
        ),
    ] {
        let relation = format!("{bound}\nlimit = {{ {limit} }}");
        assert_eq!(finding(TWICE, &relation).0, wanted, "{limit}");
    }
}

#[test]
fn who_reads_learns_what_was_measured_and_what_to_do() {
    let limited = |limit: &str| format!("bound = \"<= 0.1Mbps\"\n{WHY}\nlimit = {limit}");
    for (relation, says) in [
        (
            "bound = \"<= 0.1Mbps\"".to_owned(),
            vec!["fails at 2 of 2 points", "bound ≤ 0.1 Mbit/s", "say why"],
        ),
        (
            format!("bound = \"<= 0.1Mbps\"\n{WHY}"),
            vec!["add limit = { bound = \"<= ", "--write-limits"],
        ),
        (
            limited("{ bound = \"<= 0.2Mbps\", points = \"1 of 2\" }"),
            vec![
                "worst at cc ",
                "loss 3%: measured 0.7",
                "limit ≤ 0.2 Mbit/s",
                "beyond its limit at 2 of them, and its limit is 1 of 2 points",
                "--write-limits",
            ],
        ),
        (
            limited("{ bound = \"<= 10Mbps\" }"),
            vec!["could be held to less: limit = { bound = \"<= 0."],
        ),
        (
            format!("bound = \"<= 1Mbps\"\n{WHY}"),
            vec![
                "holds at all of its points",
                "take `deviates` and `limit` away",
            ],
        ),
    ] {
        let (_, told) = finding(TWICE, &relation);
        for part in says {
            assert!(told.contains(part), "{relation}: {part} in {told}");
        }
    }
}

/// The limit that a run of today gives.
fn fresh(measure: &str, relation: &str) -> String {
    let (_, told) = finding(measure, &format!("{relation}\n{WHY}"));
    let (_, limit) = told.split_once("add limit = ").expect(&told);
    let (limit, _) = limit.split_once(" (--").expect(&told);
    limit.to_owned()
}

#[test]
fn a_new_limit_leaves_room() {
    for (relation, wanted) in [
        ("bound = \"<= 40%\"", "{ bound = \"<= 55%\" }"),
        ("bound = \"> 60%\"", "{ bound = \">= 47.5%\" }"),
        ("bound = \"10%..30%\"", "{ bound = \"10%..55%\" }"),
        ("bound = \"= 0\"", "{ bound = \"0%..55%\" }"),
        (
            "less_than = { model = \"share\", with = { part = \"1Mbps\", whole = \"4Mbps\" } }",
            "{ factor = 2.2 }",
        ),
        (
            "less_than = { model = \"share\", with = { part = \"0\", whole = \"4Mbps\" } }\nplus = \"1%\"",
            "{ plus = \"55%\" }",
        ),
        (
            "equals = { model = \"share\", with = { part = \"1Mbps\", whole = \"1Mbps\" } }\nwithin = \"10%\"",
            "{ within = \"52.5%\" }",
        ),
    ] {
        assert_eq!(fresh(HALF, relation), wanted, "{relation}");
    }
    let all = fresh(FOUR_TIMES, "bound = \"<= 0.1Mbps\"");
    assert_eq!(all, "{ seeds = \"0%\" }", "two points have no number");
}

#[test]
fn a_check_may_be_asked_for_at_a_share_of_its_points() {
    let asked = |share: &str, bound: &str| format!("bound = \"<= {bound}\"\npoints = \"{share}\"");
    for (share, bound, wanted) in [
        ("50%", "1Mbps", Finding::Holds),
        ("51%", "1Mbps", Finding::Fails),
        ("50%", "0.1Mbps", Finding::Fails),
    ] {
        let found = finding(FOUR_TIMES, &asked(share, bound)).0;
        assert_eq!(found, wanted, "{share} {bound}");
    }
    let half = asked("50%", "0.1Mbps");
    assert_eq!(fresh(FOUR_TIMES, &half), "{ bound = \"<= 0.778Mbps\" }");
    for (limit, wanted) in [
        ("0.778Mbps", Finding::WithinLimit),
        ("0.5Mbps", Finding::BeyondLimit),
    ] {
        let relation = format!("{half}\n{WHY}\nlimit = {{ bound = \"<= {limit}\" }}");
        assert_eq!(finding(FOUR_TIMES, &relation).0, wanted, "{limit}");
    }
}

#[test]
fn limits_are_refused_with_the_line_the_key_and_what_is_allowed() {
    let less = format!("less_than = {{ {HALF} }}");
    for (relation, limit, says) in [
        (
            "bound = \"<= 40%\"",
            "bound = \"50%\"",
            "`limit.bound`: `50%` is no bound; allowed are `<= V`",
        ),
        (
            "bound = \"<= 40%\"",
            "bound = \"<= 3s\"",
            "`limit.bound`: `3s` in `<= 3s` has the wrong unit",
        ),
        (
            "bound = \"<= 40%\"",
            "bound = \"<= 30%\"",
            "stricter than the check itself",
        ),
        (
            "bound = \"<= 40%\"",
            "factor = 2",
            "allowed here are `bound`, `points` and `seeds`",
        ),
        (
            "bound = \"<= 40%\"",
            "points = \"1 of 1\"",
            "does not say how far",
        ),
        (
            "bound = \"<= 40%\"",
            "bound = \"<= 50%\", points = \"2 of 1\"",
            "`limit.points`: `2 of 1` is not allowed; the check has 1 points",
        ),
        (
            "bound = \"<= 40%\"",
            "bound = \"<= 50%\", points = \"one\"",
            "allowed are \"1 of 1\"",
        ),
        (
            "bound = \"<= 40%\"",
            "at_most = \"50%\"",
            "there is no key `at_most`; allowed: bound",
        ),
        (
            "bound = \"<= 40%\"\nseeds = \"50%\"",
            "seeds = \"60%\"",
            "`limit.seeds` is more",
        ),
        (
            &less,
            "plus = \"1s\"",
            "`limit.plus`: `1s` has the wrong unit",
        ),
        (
            &less,
            "bound = \"<= 50%\"",
            "allowed here are `factor`, `plus`",
        ),
        (
            &format!("equals = {{ {HALF} }}\nwithin = \"1%\""),
            "within = \"far\"",
            "`limit.within`: `far` is no share",
        ),
    ] {
        let text = format!("{relation}\n{WHY}\nlimit = {{ {limit} }}");
        let error = checking(HALF, &text).expect_err(&text).to_string();
        assert!(
            error.contains("test.toml:") && error.contains(says),
            "{text}: {error}"
        );
    }
    let error = checking(HALF, "bound = \"<= 40%\"\nlimit = { bound = \"<= 50%\" }").unwrap_err();
    assert!(error.to_string().contains("beside `deviates` only"));
}

#[test]
fn limits_are_written_and_all_else_stays() {
    let half = format!("measure = {{ {HALF} }}, bound = ");
    let one = |bound: &str, rest: &str| format!("  {{ what = \"w\", {half}\"{bound}\"{rest} }},\n");
    let file = |limits: [&str; 2], why: &str| {
        let checks = [
            one("<= 40%", &format!(", {WHY}{}", limits[0])),
            one("<= 60%", why),
            one(
                "<= 45%",
                &format!(", deviates = \"\"\"\nwhy\n\"\"\"{}", limits[1]),
            ),
            one("<= 49%", ""),
        ];
        format!("check = [ # four\n{}]\n", checks.concat())
    };
    let given = file(
        ["", ", limit = { bound = \"<= 48%\" }"],
        &format!(", {WHY}"),
    );
    let limit = ", limit = { bound = \"<= 55%\" }";
    let wanted = file([limit, limit], "");
    let write = |text: &str| {
        let rewrite = |verdict: &Verdict<'_>| {
            let whole = format!("{HEAD}{text}");
            rewritten(&whole, std::slice::from_ref(verdict)).unwrap()
        };
        let (text, count) = judged(with(text).unwrap(), rewrite);
        (text.strip_prefix(HEAD).unwrap().to_owned(), count)
    };
    assert_eq!(write(&given), (wanted.clone(), 3));
    assert_eq!(write(&wanted), (wanted, 0));

    let tables = |limit: &str| {
        format!("[[claim.check]]\nwhat = \"w\"\nmeasure = {{ {HALF} }}\nbound = \"<= 40%\"\n{WHY} # so\n{limit}\n[[claim.figure]]\nid = \"f\"\ntitle = \"t\"\nseries = [{{ label = \"m\", draw = \"bars\", name = \"n\", measure = {{ {HALF} }} }}]\n")
    };
    let wanted = tables("limit = { bound = \"<= 55%\" }\n");
    assert_eq!(write(&tables("")), (wanted, 1));
}
