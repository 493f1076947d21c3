use std::time::Duration;

use super::*;

fn rate(text: &str) -> Result<u64, String> {
    text.parse::<Rate>()
        .map(Rate::bits_per_sec)
        .map_err(|e| e.to_string())
}

#[test]
fn rates_are_read_in_decimal_units() {
    assert_eq!(rate("5Mbps"), Ok(5_000_000));
    assert_eq!(rate("1Gbps"), Ok(1_000_000_000));
    assert_eq!(rate("800kbps"), Ok(800_000));
    assert_eq!(rate("1.5 Mbit/s"), Ok(1_500_000));
    assert_eq!(rate("64000bps"), Ok(64_000));
}

#[test]
fn a_wrong_rate_says_what_is_allowed() {
    for text in [
        "",
        "5",
        "Mbps",
        "0Mbps",
        "-5Mbps",
        "5MBps",
        "5mbps",
        "1e6bps",
        "1.2.3Mbps",
        "2000Gbps",
        "infMbps",
    ] {
        let error = rate(text).expect_err(text);
        assert!(
            error.starts_with(&format!("`{text}` is no valid rate; allowed: 1bps")),
            "{error}"
        );
    }
}

#[test]
fn durations_are_read_with_their_unit() {
    for (text, nanos) in [
        ("20ms", 20_000_000),
        ("1.5s", 1_500_000_000),
        ("250us", 250_000),
        ("0ms", 0),
        ("7ns", 7),
        ("1.1s", 1_100_000_000),
    ] {
        assert_eq!(
            parse_duration(text),
            Ok(Duration::from_nanos(nanos)),
            "{text}"
        );
    }
    for text in ["", "5", "ms", "-1ms", "1min", "10000000s", "1,5s"] {
        let error = parse_duration(text).expect_err(text).to_string();
        assert!(error.contains("allowed: 0ms to"), "{error}");
    }
}

#[test]
fn buffers_are_read_in_time_packets_bytes_and_bdp() {
    let read = |text: &str| text.parse::<Buffer>().expect(text);
    assert_eq!(read("400ms"), Buffer::Time(Duration::from_millis(400)));
    assert_eq!(read("50p"), Buffer::Packets(50));
    assert_eq!(read("64kB"), Buffer::Bytes(64_000));
    assert_eq!(read("64KiB"), Buffer::Bytes(65_536));
    assert_eq!(read("0.5bdp"), Buffer::Bdp(0.5));
    assert_eq!(read("unlimited"), Buffer::Unlimited);
    for text in [
        "",
        "50",
        "1.5p",
        "0.5B",
        "64kb",
        "p",
        "-1p",
        "2bpd",
        "9999999bdp",
    ] {
        let error = text.parse::<Buffer>().expect_err(text).to_string();
        assert!(
            error.contains("is no valid buffer size; allowed: a time"),
            "{error}"
        );
    }
}

#[test]
fn probabilities_need_their_sign() {
    let read = |text: &str| text.parse::<Probability>().map(Probability::value);
    assert_eq!(read("1%"), Ok(0.01));
    assert_eq!(read("0%"), Ok(0.0));
    assert_eq!(read("100%"), Ok(1.0));
    for text in ["", "1", "0.01", "101%", "-1%", "%"] {
        let error = read(text).expect_err(text).to_string();
        assert!(error.contains("allowed: 0% to 100%"), "{error}");
    }
}

#[test]
fn what_is_written_is_read_back() {
    for text in ["5Mbps", "800kbps", "1.5Gbps", "17bps"] {
        assert_eq!(text.parse::<Rate>().unwrap().to_string(), text);
    }
    for text in [
        "400ms",
        "50p",
        "1500B",
        "1bdp",
        "0.5bdp",
        "unlimited",
        "2s",
        "3us",
        "7ns",
        "0ms",
        "wait:80ms",
    ] {
        assert_eq!(text.parse::<Buffer>().unwrap().to_string(), text);
    }
}

#[test]
fn a_buffer_in_time_or_bdp_is_bytes_at_the_link_rate() {
    let rate = "1Mbps".parse().ok();
    let rtt = Duration::from_millis(100);
    let bytes = |text: &str| text.parse::<Buffer>().unwrap().limit(rate, rtt).bytes;
    assert_eq!(bytes("400ms"), Some(50_000));
    assert_eq!(bytes("1bdp"), Some(12_500));
    assert_eq!(bytes("0.5bdp"), Some(6_250));
    assert_eq!(Buffer::Bdp(1.0).limit(None, rtt), Limit::default());
}

#[test]
fn certain_and_impossible_events_are_certain_and_impossible() {
    let mut rng = crate::stream(1, 0);
    let always = Probability::new(1.0).unwrap();
    assert!((0..1000).all(|_| always.draw(&mut rng)));
    assert!((0..1000).all(|_| !Probability::ZERO.draw(&mut rng)));
}
