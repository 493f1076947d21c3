//! What files may say, and how they are refused.

use super::super::claim_set::{Check, Loaded};
use super::super::resolve::{load, Given};
use super::super::ClaimSet;
use super::{checking, with};

/// The line of `measure` in [`checking`].
const MEASURE: usize = 27;

fn refusal(measure: &str, relation: &str) -> String {
    checking(measure, relation).expect_err(measure).to_string()
}

#[test]
fn a_measure_is_refused_with_its_line_and_what_is_allowed() {
    let fine = r#"run = "short", metric = "loss""#;
    checking(fine, "bound = \"= 0\"").unwrap();
    for (measure, says) in [
        (r#"metric = "loss""#, "a measure has `run` and `metric`"),
        (
            r#"run = "fast", metric = "loss""#,
            "no [run.fast]; there are short, varied",
        ),
        (
            r#"run = "short", metric = "speed""#,
            "`speed` is nothing that is measured; there are goodput",
        ),
        (
            r#"run = "short", metric = "rtt""#,
            "add .mean or another of mean, sd",
        ),
        (
            r#"run = "short", metric = "rtt.median""#,
            "`median` in `rtt.median` is no reduction",
        ),
        (
            r#"run = "short", metric = "loss.max""#,
            "leave out what stands behind the point",
        ),
        (
            r#"run = "short", metric = "utilisation""#,
            "say which with `link`",
        ),
        (
            r#"run = "short", metric = "loss", link = "x""#,
            "no link x; there are bottleneck",
        ),
        (
            r#"run = "short", metric = "loss", flow = "x""#,
            "no flow x; there are main",
        ),
        (
            r#"run = "short", metric = "jain", link = "bottleneck""#,
            "belongs to flows",
        ),
        (
            r#"run = "short", metric = "loss", to = "11s""#,
            "is no part of a run of 10s",
        ),
        (
            r#"run = "short", metric = "loss", from = "10s""#,
            "is no part of a run of 10s",
        ),
        (
            r#"run = "short", metric = "loss", windows = ["5s"]"#,
            "a window is as",
        ),
        (r#"run = "short", metric = "loss", from = "soon""#, "soon"),
        (
            r#"run = "short", metric = "loss", speed = 3"#,
            "there is no key `speed`; allowed: ",
        ),
        (
            r#"run = "varied", metric = "loss", where = { loss = "4%" }"#,
            "no variant of the run `varied` has",
        ),
        (r#"model = "magic""#, "no model `magic`; there are mathis"),
        (
            r#"model = "mathis", with = { rtt = "1s" }"#,
            "`mathis` needs `packet`; it has packet, rtt, loss",
        ),
        (
            r#"model = "mathis", with = { q = "1s" }"#,
            "no argument `q`",
        ),
        (
            r#"model = "mathis", with = { packet = "1s", rtt = "1s", loss = "1%" }"#,
            "wrong unit; allowed is bytes",
        ),
        (
            r#"model = "mathis", run = "varied", with = { packet = "{size}", rtt = "1s", loss = "1%" }"#,
            "no parameter `size`; it has: cc, loss",
        ),
    ] {
        let error = refusal(measure, "bound = \"= 0\"");
        assert!(
            error.contains(&format!("test.toml:{MEASURE}:")),
            "{measure}: {error}"
        );
        assert!(error.contains(says), "{measure}: {error}");
    }
}

#[test]
fn drawn_paths_are_refused_with_what_is_allowed() {
    let run = |keys: &str| {
        format!(
            "[run.drawn]\nscenario = \"../scenarios/hybrid-dumbbell.toml\"\ncc = \"reno\"\n{keys}\n[[claim.check]]\nwhat = \"w\"\n\
             measure = {{ run = \"drawn\", metric = \"loss\" }}\nbound = \"= 0\"\npoints = \"90%\"\n"
        )
    };
    let fine =
        "paths = 3\ndraw = { loss = \"1%..3%\" }\nset = { \"link.bottleneck.loss\" = \"{loss}\" }";
    let set = with(&run(fine)).unwrap();
    let drawn = set.runs.iter().find(|run| run.name == "drawn").unwrap();
    assert_eq!(drawn.variants.len(), 3);
    assert_eq!(set.claims[0].checks[0].points, 0.9);
    for (keys, says) in [
        ("paths = 3", "both or none"),
        ("draw = { loss = \"1%..3%\" }", "both or none"),
        (
            "paths = 0\ndraw = { loss = \"1%..3%\" }",
            "number of paths is 1 to",
        ),
        (
            "paths = 3\ndraw = { path = [\"1\"] }",
            "is the number of a path",
        ),
        (
            "paths = 3\ndraw = { loss = \"1%\" }",
            "`loss` cannot be drawn",
        ),
        (
            "paths = 3\ndraw = { loss = \"1%..3%\" }\nvary = { loss = [\"1%\"] }",
            "stands in `vary`, too",
        ),
    ] {
        let error = with(&run(keys)).expect_err(keys).to_string();
        assert!(error.contains(says), "{keys}: {error}");
    }
}

#[test]
fn a_relation_is_refused_with_what_is_allowed() {
    let delay = r#"run = "short", metric = "queueing_delay.max""#;
    for (relation, says) in [
        (
            "",
            "one of `bound`, `less_than`, `greater_than` and `equals`",
        ),
        ("bound = \"<= 1Mbps\"", "what is measured is a time"),
        ("bound = \"24ms\"", "is no bound; allowed are `<= V`"),
        ("bound = \"= 0\"\ndeviates = \" \"", "says why, in words"),
        (
            "equals = { run = \"short\", metric = \"rtt.mean\" }",
            "needs `within`",
        ),
        (
            "less_than = { run = \"short\", metric = \"loss\" }",
            "cannot be compared",
        ),
        (
            "less_than = { run = \"varied\", metric = \"rtt.mean\", where = { cc = \"reno\" } }",
            "`where` has to say which",
        ),
    ] {
        let error = refusal(delay, relation);
        assert!(error.contains(says), "{relation}: {error}");
    }
}

const CURVE: &str = r#"label = "m", draw = "curve", along = "loss", measure = { model = "mathis", with = { packet = "1250B", rtt = "1s" } }"#;

#[test]
fn claims_and_figures_are_refused_with_what_is_allowed() {
    let check = "[[claim.check]]\nwhat = \"w\"\nmeasure = { run = \"short\", metric = \"loss\" }\nbound = \"= 0\"\n";
    let figure = |series: &str| {
        format!("{check}[[claim.figure]]\nid = \"f\"\ntitle = \"t\"\nseries = [{series}]\n")
    };
    let delay = r#"label = "a", draw = "over_time", every = "1s", measure = { run = "short", metric = "rtt.mean" }"#;
    with(&figure(&format!("{{ {delay} }}"))).unwrap();
    for (rest, says) in [
        (String::new(), "has no [[claim.check]]"),
        (
            format!(
                "{check}[[claim]]\nid = \"X1\"\ntitle = \"\"\nsource = \"\"\nsays = \"\"\n{check}"
            ),
            "allowed are T1, T2",
        ),
        (
            format!(
                "{check}[[claim]]\nid = \"T1\"\ntitle = \"\"\nsource = \"\"\nsays = \"\"\n{check}"
            ),
            "two claims `T1`",
        ),
        (figure(""), "no [[claim.figure.series]]"),
        (
            figure(&format!("{{ {} }}", delay.replace(", every = \"1s\"", ""))),
            "needs `every`",
        ),
        (
            figure(&format!(
                "{{ {delay} }}, {{ {} }}",
                delay.replace("rtt.mean", "window.mean")
            )),
            "the series before shows",
        ),
        (figure(&format!("{{ {CURVE} }}")), "needs `from` and `to`"),
        (
            figure(&format!("{{ {} }}", CURVE.replace("\"loss\"", "\"rtt\""))),
            "`mathis` needs `loss`",
        ),
        (
            figure(&format!("{{ {} }}", delay.replace("over_time", "pie"))),
            "there is no `pie`",
        ),
    ] {
        let error = with(&rest).expect_err(&rest).to_string();
        assert!(
            error.contains("test.toml:") && error.contains(says),
            "{rest}: {error}"
        );
    }
}

#[test]
fn parameters_multiply_runs_and_reach_controller_and_scenario() {
    let set = checking(r#"run = "varied", metric = "loss""#, "bound = \">= 0\"").unwrap();
    let varied = set.runs.iter().find(|run| run.name == "varied").unwrap();
    let seen: Vec<_> = varied
        .variants
        .iter()
        .map(|variant| (variant.cc.as_str(), variant.parameters["loss"].as_str()))
        .collect();
    assert_eq!(
        seen,
        [
            ("reno", "0%"),
            ("reno", "3%"),
            ("hybrid", "0%"),
            ("hybrid", "3%")
        ]
    );
    let loss = |place: usize| varied.variants[place].scenario.links[0].config.loss;
    assert_eq!(loss(0), loss(2));
    assert_ne!(loss(0), loss(1));
}

fn every_deviation_has_a_limit(set: &ClaimSet) {
    for claim in &set.claims {
        let deviating = |check: &&Check| check.deviates.is_some();
        for check in claim.checks.iter().filter(deviating) {
            let place = format!("{}: {}, {}", set.file.display(), claim.id, check.what);
            assert!(check.limit.is_some(), "{place} has no limit");
        }
    }
}

#[test]
fn every_file_that_comes_with_the_lab_can_be_used() {
    crate::neighbour::register().unwrap();
    let tests = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for directory in [
        "papers",
        "targets",
        "targets/quick",
        "safety",
        "safety/quick",
    ] {
        let entries = std::fs::read_dir(tests.join(directory)).unwrap();
        let files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        let files = files
            .iter()
            .filter(|file| file.extension().is_some_and(|end| end == "toml"));
        let loaded = files
            .map(|file| load(file, Given::default()).unwrap_or_else(|error| panic!("{error}")));
        let mut count = 0;
        for loaded in loaded {
            count += 1;
            if let Loaded::ClaimSet(set) = loaded {
                every_deviation_has_a_limit(&set);
            }
        }
        assert!(count > 0, "{directory}");
    }
}
