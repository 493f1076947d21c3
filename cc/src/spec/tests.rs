use super::*;

const PARAMETERS: [Parameter; 8] = [
    Parameter {
        name: "d1",
        kind: Kind::Millis(0.1, 1000.0),
        default: "",
        help: "",
    },
    Parameter {
        name: "r0",
        kind: Kind::RateOrAuto(1e3, 1e10),
        default: "",
        help: "",
    },
    Parameter {
        name: "bmin",
        kind: Kind::Number(0.0, 0.9),
        default: "",
        help: "",
    },
    Parameter {
        name: "startup",
        kind: Kind::NumberOrOff(1.0, 4.0),
        default: "",
        help: "",
    },
    Parameter {
        name: "react",
        kind: Kind::Word(&["epoch", "once"]),
        default: "",
        help: "",
    },
    Parameter {
        name: "xt",
        kind: Kind::Rate(1e3, 1e10),
        default: "",
        help: "",
    },
    Parameter {
        name: "target",
        kind: Kind::RateOrWord(1e3, 1e10, &["off", "tcp"]),
        default: "",
        help: "",
    },
    Parameter {
        name: "without",
        kind: Kind::Words(&["dips", "holds", "probes"]),
        default: "",
        help: "",
    },
];

fn parse(text: &str) -> Result<Options, SpecError> {
    parse_options("hybrid", text, &["default", "paper"], &PARAMETERS)
}

#[test]
fn profile_and_parameters_with_units() {
    let options = parse("paper, d1=10ms,r0=1.5Mbps,bmin=.25,startup=off,react=once").unwrap();
    assert_eq!(options.profile, Some("paper"));
    assert_eq!(
        options.values,
        [
            ("d1", Given::Time(Duration::from_millis(10))),
            ("r0", Given::Rate(Some(Rate::from_bps(1.5e6)))),
            ("bmin", Given::Number(0.25)),
            ("startup", Given::Number(1.0)),
            ("react", Given::Word(1)),
        ]
    );
    let rates = parse("xt=600kbps,target=2Mbps").unwrap().values;
    let given = |bps| Given::Rate(Some(Rate::from_bps(bps)));
    assert_eq!(rates, [("xt", given(6e5)), ("target", given(2e6))]);
    let word = parse("target=tcp").unwrap().values;
    assert_eq!(word, [("target", Given::Word(1))]);
    assert_eq!(parse("").unwrap(), Options::default());
    assert_eq!(
        parse("r0=auto").unwrap().values,
        [("r0", Given::Rate(None))]
    );
}

#[test]
fn errors_name_what_was_wrong_and_what_is_allowed() {
    for (text, parts) in [
        (
            "d9=1ms",
            [
                "no option \"d9\"",
                "d1, r0, bmin, startup, react, xt, target, without",
            ],
        ),
        ("d1=2s", ["d1=2s", "from 100us to 1s"]),
        ("d1=10", ["d1=10", "with its unit (us, ms or s)"]),
        ("d1=-1ms", ["d1=-1ms", "from 100us"]),
        ("d1=", ["d1=", "a time"]),
        ("bmin=nan", ["bmin=nan", "a number from 0 to 0.9"]),
        ("bmin=1e-3", ["bmin=1e-3", "a number"]),
        ("r0=1mbps", ["r0=1mbps", "Mbps"]),
        ("react=twice", ["react=twice", "one of epoch, once"]),
        ("xt=auto", ["xt=auto", "from 1kbps to 10Gbps"]),
        ("target=on", ["from 1kbps to 10Gbps", "or one of off, tcp"]),
        ("papr", ["\"papr\" is neither", "default, paper"]),
        ("d1=1ms,paper", ["\"paper\"", "must come first"]),
        ("d1=1ms,d1=2ms", ["d1", "given twice"]),
        ("d1=1ms,,", ["\"\" is neither", "profiles"]),
    ] {
        let message = parse(text).unwrap_err().to_string();
        for part in parts {
            assert!(message.contains(part), "{text}: {message}");
        }
    }
    let long = format!("d1={}ms", "1".repeat(2000));
    assert!(parse(&long)
        .unwrap_err()
        .to_string()
        .contains("at most 1024"));
}

#[test]
fn words_with_a_comma_between_are_shown_with_a_plus() {
    let message = |text| parse(text).unwrap_err().to_string();
    let hint = "; several of without are joined with +: without=dips+holds";
    for text in [
        "without=dips,holds",
        "d1=1ms, without=dips , holds",
        "without=dips,holds,probes",
    ] {
        assert!(message(text).ends_with(hint), "{}", message(text));
    }
    let three = "; several of without are joined with +: without=dips+holds+probes";
    assert!(message("without=dips+holds,probes").ends_with(three));
    for text in [
        "without=dips,hold",
        "holds",
        "d1=1ms,holds",
        "react=epoch,dips",
    ] {
        assert!(!message(text).contains("joined"), "{}", message(text));
    }
}

#[test]
fn a_time_is_told_in_the_largest_unit_in_which_it_is_whole() {
    let told = [0.0, 0.5, 20.0, 1500.0, 3000.0].map(time);
    assert_eq!(told, ["0ms", "500us", "20ms", "1500ms", "3s"]);
}

#[test]
fn a_name_is_taken_for_a_known_one_up_to_a_mistake_per_three_letters() {
    let meant = |given| listed(given, &["hybrid", "rrr"]).contains("did you mean hybrid?");
    assert!(meant("hybrxx"));
    assert!(!meant("hybxxx"));
}
