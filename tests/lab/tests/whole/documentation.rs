//! docs/lab.md and the scenarios that come with the lab say what is so.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use quiche_cc_lab::scenario::{self, Overrides};
use quiche_cc_lab::series;
use quiche_cc_lab::summary::{json, Summary};

use super::{plan, run};

fn room() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn documentation() -> String {
    std::fs::read_to_string(room().join("../../docs/lab.md")).unwrap()
}

/// Words in backticks, dots in front of fields and what follows an index taken off.
fn documented() -> BTreeSet<String> {
    let text = documentation();
    let spans = text.split('`').skip(1).step_by(2);
    let words = spans.flat_map(|span| span.split(|c: char| !(c.is_alphanumeric() || c == '_')));
    words.map(str::to_owned).collect()
}

fn example() -> String {
    let text = documentation();
    let begin = text.find("```toml\n").expect("there is an example") + "```toml\n".len();
    let end = begin + text[begin..].find("```").expect("it ends");
    text[begin..end].to_owned()
}

#[test]
fn the_example_is_a_scenario() {
    let plan = plan(&example(), "reno", 1);
    assert_eq!(plan.scenario.flows.len(), 3);
}

#[test]
fn every_scenario_that_comes_with_the_lab_can_be_used() {
    let files = std::fs::read_dir(room().join("../scenarios")).unwrap();
    let files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    assert!(files.len() >= 2);
    for file in files {
        scenario::load(&file, &Overrides::default()).unwrap();
    }
}

/// What the reader of scenarios would take in place of a key that it does not know.
fn allowed(wrong: &str) -> Vec<String> {
    let error = scenario::parse(wrong, "x", Path::new(""), &Overrides::default()).unwrap_err();
    let error = error.to_string();
    let (_, list) = error
        .split_once("allowed: ")
        .expect("it names what is allowed");
    list.split(", ")
        .flat_map(|some| some.split(" or "))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_key_of_scenarios_is_documented() {
    let traffic = |kind: &str| format!("[[flow]]\ntraffic = {{ kind = \"{kind}\", zzz = 1 }}");
    let mut texts = vec![
        "zzz = 1".to_owned(),
        "[[link]]\nzzz = 1".to_owned(),
        "[[flow]]\nzzz = 1".to_owned(),
        "[[flow]]\nclock = { zzz = 1 }".to_owned(),
        "[[flow]]\nclock = { steps = [{ zzz = 1 }] }".to_owned(),
        "[[flow]]\ntraffic = { kind = \"zzz\" }".to_owned(),
    ];
    let kinds = allowed(&texts[5]);
    assert!(kinds.len() >= 7);
    texts.extend(
        kinds
            .iter()
            .filter(|kind| *kind != "unlimited")
            .map(|kind| traffic(kind)),
    );
    let documented = documented();
    for text in texts {
        for key in allowed(&text) {
            assert!(documented.contains(&key), "`{key}` in {text}");
        }
    }
}

fn keys(value: &serde_json::Value, into: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                into.insert(key.clone());
                if key != "parameters" {
                    keys(value, into);
                }
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| keys(item, into)),
        _ => {}
    }
}

#[test]
fn every_field_of_results_is_documented() {
    let plan = plan(&example(), "reno", 1);
    let record = run(&plan);
    let summary = json::to_text(&Summary::of(&plan, &record));
    let mut fields = BTreeSet::new();
    keys(&serde_json::from_str(&summary).unwrap(), &mut fields);
    for table in [
        series::flows(&plan.scenario, &record),
        series::links(&plan.scenario, &record),
    ] {
        let header = table.lines().next().unwrap();
        fields.extend(header.split(',').map(str::to_owned));
    }
    let documented = documented();
    let missing: Vec<_> = fields.difference(&documented).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
