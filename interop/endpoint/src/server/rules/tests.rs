use std::collections::BTreeMap;

use super::*;

fn rules(texts: &[&str]) -> Result<Rules, String> {
    crate::cc_choice::register();
    let texts: Vec<RuleText> = texts.iter().map(|text| text.parse().unwrap()).collect();
    Rules::new(&texts, "cubic".parse().unwrap())
}

fn chosen(rules: &Rules, client: &str, host: Option<&str>) -> String {
    let client = client.parse().unwrap();
    let path = None;
    rules
        .choose(&Facts {
            client,
            host,
            path,
            draw: 0,
        })
        .cc
        .to_string()
}

#[test]
fn the_first_rule_that_matches_decides() {
    let rules = rules(&[
        "host=a.example.org cc=hybrid",
        "host=*.example.org client=192.0.2.0/24 cc=vegas",
        "host=*.example.org host=example.net cc=bbr2",
        "client=2001:db8::/32 client=192.0.2.7 cc=reno",
    ])
    .unwrap();
    for (client, host, cc) in [
        ("192.0.2.1", Some("a.example.org"), "hybrid"),
        ("192.0.2.1", Some("B.Example.ORG"), "vegas"),
        ("192.0.2.1", Some("c.b.example.org."), "vegas"),
        ("198.51.100.1", Some("b.example.org"), "bbr2"),
        ("198.51.100.1", Some("example.net"), "bbr2"),
        ("::ffff:192.0.2.1", Some("b.example.org"), "vegas"),
        ("2001:db8::1", None, "reno"),
        ("192.0.2.7", None, "reno"),
        ("192.0.2.8", None, "cubic"),
        ("192.0.2.8", Some("example.org"), "cubic"),
        ("192.0.2.8", Some("badexample.org"), "cubic"),
    ] {
        assert_eq!(chosen(&rules, client, host), cc, "{client} {host:?}");
    }
}

#[test]
fn a_path_matches_when_the_first_request_is_there() {
    let mut texts = vec![
        "path=/live/* path=*.m3u8 host=a.org cc=hybrid".to_owned(),
        "path=/exact cc=vegas".to_owned(),
        "host=a.org cc=smallq".to_owned(),
        "path=* cc=raimd".to_owned(),
    ];
    let parse = |texts: &[String], default: &str| {
        crate::cc_choice::register();
        let texts: Vec<RuleText> = texts.iter().map(|text| text.parse().unwrap()).collect();
        Rules::new(&texts, default.parse().unwrap())
    };
    let rules = parse(&texts, "bbr2").unwrap();
    for (host, path, cc) in [
        ("a.org", None, "smallq"),
        ("b.org", None, "bbr2"),
        ("a.org", Some("/live/"), "hybrid"),
        ("a.org", Some("/x/list.m3u8?token=/exact"), "hybrid"),
        ("a.org", Some("/exact"), "vegas"),
        ("a.org", Some("/exact/not"), "smallq"),
        ("b.org", Some("/exact?x"), "vegas"),
        ("b.org", Some("/live/1"), "raimd"),
    ] {
        let client = "192.0.2.1".parse().unwrap();
        let host = Some(host);
        let chosen = rules
            .choose(&Facts {
                client,
                host,
                path,
                draw: 0,
            })
            .cc;
        assert_eq!(chosen.as_str(), cc, "{host:?} {path:?}");
    }

    let refused = parse(&texts, "cubic").unwrap_err();
    assert!(
        refused.contains("cubic") && refused.contains("--cc"),
        "{refused}"
    );
    texts[2] = "host=a.org cc=reno".to_owned();
    let refused = parse(&texts, "bbr2").unwrap_err();
    assert!(
        refused.contains("reno") && refused.contains("bbr2"),
        "{refused}"
    );
}

#[test]
fn a_rule_tells_its_name_or_its_place_and_conditions() {
    let rules = rules(&[
        "name=live host=a.org cc=reno",
        "host=*.b.org client=10.0.0.0/8 cc=bbr2",
    ]);
    let rules = rules.unwrap();
    let rule = |host| {
        let client = "10.1.1.1".parse().unwrap();
        rules
            .choose(&Facts {
                client,
                host: Some(host),
                path: None,
                draw: 0,
            })
            .rule
    };
    assert_eq!(rule("a.org").unwrap(), "live");
    assert_eq!(
        rule("x.b.org").unwrap(),
        "2: host=*.b.org client=10.0.0.0/8"
    );
    assert_eq!(rule("c.org"), None);
}

#[test]
fn bad_rules_are_refused_with_what_is_wrong_and_what_is_allowed() {
    for (texts, words) in [
        (
            &["host=a.org cc=hybird"][..],
            ["rule 1", "hybird", "hybrid"],
        ),
        (
            &["host=a.org cc=hybrid:target_delay=10"],
            ["rule 1", "target_delay", "unit"],
        ),
        (&["host=a.org"], ["rule 1", "no cc", "controller"]),
        (&["cc=reno"], ["rule 1", "no condition", "--cc"]),
        (
            &["host=a.*.org cc=reno"],
            ["rule 1", "a.*.org", "*.example.org"],
        ),
        (&["host=* cc=reno"], ["rule 1", "\"*\"", "*.example.org"]),
        (
            &["host=a..org cc=reno"],
            ["rule 1", "a..org", "no host name"],
        ),
        (
            &["host=192.0.2.1 cc=reno"],
            ["rule 1", "address", "client="],
        ),
        (&["host=[::1] cc=reno"], ["rule 1", "address", "client="]),
        (
            &["client=10.0.0.0/33 cc=reno"],
            ["rule 1", "10.0.0.0/33", "192.0.2.0/24"],
        ),
        (
            &["client=10.0.0.1/8 cc=reno"],
            ["rule 1", "10.0.0.1/8", "10.0.0.0/8"],
        ),
        (&["path=live cc=bbr2"], ["rule 1", "\"live\"", "/live/*"]),
        (&["path=/a*b* cc=bbr2"], ["rule 1", "/a*b*", "one *"]),
        (
            &["host=a.org cc=reno", "host=A.org cc=bbr2"],
            ["rule 2", "rule 1", "never match"],
        ),
        (
            &["name=x host=a.org cc=reno", "name=x host=b.org cc=reno"],
            ["rules 1 and 2", "same name", "x"],
        ),
    ] {
        let refused = rules(texts).unwrap_err();
        for word in words {
            assert!(refused.contains(word), "{texts:?}: {refused}");
        }
    }
}

#[test]
fn words_that_are_no_rule_are_refused() {
    for (text, word) in [
        ("hsot=a.org cc=reno", "host"),
        ("a.org cc=reno", "KEY=VALUE"),
        ("cc=reno cc=bbr2", "twice"),
    ] {
        let refused = text.parse::<RuleText>().unwrap_err();
        assert!(refused.contains(word), "{refused}");
    }
}

#[test]
fn a_file_says_the_same_as_the_command_line() {
    crate::cc_choice::register();
    let file = tempfile::NamedTempFile::new().unwrap();
    let write = |text: &str| std::fs::write(file.path(), text).unwrap();
    write(
        r#"
        [[rule]]
        name = "live"
        host = ["live.example.org", "*.live.example.org"]
        cc = "hybrid:target_delay=10ms,drain_epochs=2"

        [[rule]]
        client = "10.0.0.0/8"
        cc = "bbr2"
        "#,
    );
    let line = [
        "name=live host=live.example.org host=*.live.example.org cc=hybrid:target_delay=10ms,drain_epochs=2",
        "client=10.0.0.0/8 cc=bbr2",
    ];
    let both = [
        Rules::new(&read_file(file.path()).unwrap(), "reno".parse().unwrap()).unwrap(),
        rules(&line).unwrap(),
    ];
    assert_eq!(both[0].rules, both[1].rules);

    for (text, word) in [
        (
            "[[rule]]\nhots = \"a\"\n",
            "line 2, `hots = \"a\"`: there is no key `hots`; allowed: name, host, client,",
        ),
        (
            "[[rule]]\nshare=1",
            "line 2, `share=1`: the share is no text; allowed: one with a percent sign, such as share = \"1%\"",
        ),
        (
            "[[rule]]\ncc = 1",
            "line 2, `cc = 1`: the value is no text; allowed: one in quotes",
        ),
        (
            "[[rule]]\nhost = 1",
            "line 2, `host = 1`: the value is no text; allowed: one in quotes, or a list",
        ),
        (
            "[rule]\ncc = \"reno\"",
            "line 1, `[rule]`: not a list of rules; allowed: [[rule]], with two brackets",
        ),
        ("rule = 3", "`rule = 3`: not a list of rules; allowed: [[rule]]"),
        (
            "[[rules]]\ncc = \"reno\"",
            "there is no key `rules`; allowed: [[rule]]",
        ),
        (
            "[[rule",
            "line 1, `[[rule`: no TOML (unclosed array table, expected `]]`); allowed: [[rule]], and below it",
        ),
        (
            "[[rule]]\ncc = \"cubic\"\ncc = \"reno\"",
            "line 3, `cc = \"reno\"`: no TOML (duplicate key); allowed: [[rule]], and below it",
        ),
    ] {
        write(text);
        let refused = read_file(file.path()).unwrap_err();
        assert!(refused.contains(word), "{refused}");
        assert_eq!(refused.lines().count(), 1, "{refused}");
    }
}

#[test]
fn a_share_is_drawn_for_each_connection_and_what_is_left_goes_on() {
    let rules = rules(&["share=25% cc=hybrid", "share=25% cc=vegas"]).unwrap();
    let mut counts = BTreeMap::new();
    for draw in 0..10_000 {
        let choice = rules.choose(&Facts {
            client: "192.0.2.1".parse().unwrap(),
            host: None,
            path: None,
            draw,
        });
        *counts.entry(choice.cc.to_string()).or_insert(0) += 1;
    }
    assert!((2300..2700).contains(&counts["hybrid"]), "{counts:?}");
    // A quarter of the other three quarters.
    assert!((1700..2050).contains(&counts["vegas"]), "{counts:?}");
    assert_eq!(counts.len(), 3, "{counts:?}");
    let names = rules.choose(&Facts {
        client: "192.0.2.1".parse().unwrap(),
        host: None,
        path: None,
        draw: (0..)
            .find(|draw| Share::contains("25%".parse().unwrap(), *draw, 0))
            .unwrap(),
    });
    assert_eq!(names.rule.as_deref(), Some("1: share=25%"));
}
