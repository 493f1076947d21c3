//! How models are written.

use std::fmt::{Debug, Display};
use std::str::FromStr;
use std::time::Duration;

use crate::traffic::seeded;
use proptest::prelude::*;
use quiche_cc_bottleneck::{
    Aggregate, Jitter, Loss, Outages, ParseError, Probability, Queue, Rate, RateModel, Reorder,
    Schedule,
};

/// `short` is read as the model that is written `full`, which is read as the same.
fn written<T: FromStr<Err = ParseError> + Display + PartialEq + Debug>(short: &str, full: &str) {
    let model: T = short.parse().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(model.to_string(), full, "from {short}");
    assert_eq!(full.parse::<T>().as_ref(), Ok(&model));
}

/// `text` is refused with an error that names `wrong` and says what is allowed, beginning with `allowed`.
fn refused<T: FromStr<Err = ParseError> + Debug>(text: &str, wrong: &str, allowed: &str) {
    let error = text.parse::<T>().expect_err(text).to_string();
    let expected = format!("`{wrong}` is no valid ");
    assert!(error.starts_with(&expected), "{text}: {error}");
    assert!(
        error.contains(&format!("; allowed: {allowed}")),
        "{text}: {error}"
    );
}

#[test]
fn queues_are_read_and_written() {
    written::<Queue>("droptail", "droptail");
    written::<Queue>("mark:q0=32p", "mark:q0=32p,ect=any");
    written::<Queue>("mark:ect=1, q0=1bdp", "mark:q0=1bdp,ect=1");
    written::<Queue>("mark:q0=20ms,ect=0", "mark:q0=20ms,ect=0");
    written::<Queue>("step", "step:1ms");
    written::<Queue>("step:500us", "step:500us");
    written::<Queue>("ramp", "ramp:min=800us,max=1200us");
    written::<Queue>("ramp:max=5ms", "ramp:min=800us,max=5ms");
    written::<Queue>("codel", "codel:target=5ms,interval=100ms");
    written::<Queue>("codel:target=10ms", "codel:target=10ms,interval=100ms");
    written::<Queue>("pie", "pie:target=15ms,update=15ms,burst=150ms");
    written::<Queue>("pie:burst=0ms", "pie:target=15ms,update=15ms,burst=0ms");
    written::<Queue>(
        "policer:burst=50ms, rate=10Mbps",
        "policer:rate=10Mbps,burst=50ms",
    );
    written::<Queue>(
        "policer:rate=10Mbps,burst=64kB",
        "policer:rate=10Mbps,burst=64000B",
    );
    let fq_codel = "fq_codel:target=5ms,interval=100ms,quantum=1514,flows=1024";
    written::<Queue>("fq_codel", fq_codel);
    written::<Queue>(
        "fq_codel:flows=1,quantum=300",
        "fq_codel:target=5ms,interval=100ms,quantum=300,flows=1",
    );
    let dualpi2 = "dualpi2:target=15ms,rtt_max=100ms,k=2,min_th=800us,range=400us,weight=6.25%";
    written::<Queue>("dualpi2", dualpi2);
    written::<Queue>(
        "dualpi2:weight=10%,range=0ms,k=1.5",
        "dualpi2:target=15ms,rtt_max=100ms,k=1.5,min_th=800us,range=0ms,weight=10%",
    );
}

#[test]
fn a_wrong_queue_is_named_with_what_is_allowed() {
    for text in [
        "",
        "red",
        "droptail:1",
        "droptail:q0=1p",
        "mark",
        "mark:q0",
        "mark:q0=0p",
        "mark:q0=0ms",
        "mark:q0=unlimited",
        "policer",
        "policer:rate=10Mbps",
        "policer:rate=10Mbps,burst=0ms",
        "policer:rate=10Mbps,burst=5p",
        "policer:rate=10Mbps,burst=unlimited",
        "mark:q0=1p,q0=2p",
        "mark:q0=1p,q1=2p",
        "ramp:min=2ms,max=1ms",
        "codel:interval=0ms",
        "codel:5ms",
        "pie:update=999us",
        "pie:target=0ms",
        "fq_codel:limit=10p",
        "fq_codel:quantum=0",
        "fq_codel:flows=0",
        "fq_codel:flows=65537",
        "fq_codel:interval=0ms",
        "dualpi2:target=0ms",
        "dualpi2:rtt_max=999us",
        "dualpi2:k=0",
        "dualpi2:k=nan",
        "dualpi2:weight=0%",
        "dualpi2:weight=100%",
    ] {
        refused::<Queue>(text, text, "droptail, mark:q0=32p");
    }
    refused::<Queue>("mark:q0=32", "32", "a time at the link's rate");
    refused::<Queue>("mark:q0=32p,ect=2", "2", "any, 0 or 1");
    refused::<Queue>("step:1", "1", "0ms to");
    refused::<Queue>("codel:target=5", "5", "0ms to");
    refused::<Queue>("fq_codel:quantum=1.5", "1.5", "whole bytes");
    refused::<Queue>("fq_codel:flows=many", "many", "1 to 65536");
    refused::<Queue>("dualpi2:k=two", "two", "a coupling factor");
}

#[test]
fn rates_are_read_and_written() {
    written::<RateModel>("10Mbps", "10Mbps");
    written::<RateModel>("unlimited", "unlimited");
    written::<RateModel>("10Mbps@0s, 1 Mbit/s@20s", "10Mbps@0ms,1Mbps@20s");
    written::<RateModel>("trace:some where/up.trace", "trace:some where/up.trace");
    for text in [
        "",
        "5",
        "trace:",
        "10Mbps@1s",
        "10Mbps@0s,1Mbps",
        "10Mbps@0s,1Mbps@0s",
        "1Mbps@0s,2Mbps@2s,3Mbps@1s",
        "10Mbps@0s,",
        "0Mbps@0s",
        "10Mbps@0s,1Mbps@2",
    ] {
        refused::<RateModel>(text, text, "1bps to 1000Gbps");
    }
}

#[test]
fn delays_are_read_and_written() {
    written::<Schedule<Duration>>("25ms", "25ms");
    written::<Schedule<Duration>>("25ms@0s,50ms@30s", "25ms@0ms,50ms@30s");
    refused::<Schedule<Duration>>("25", "25", "0ms to");
    refused::<Schedule<Duration>>("25ms@0s,50@30s", "50", "0ms to");
    refused::<Schedule<Duration>>("25ms@1s", "25ms@1s", "a delay (25ms), or delays");
}

#[test]
fn losses_are_read_and_written() {
    written::<Loss>("1%", "1%");
    written::<Loss>("7%", "7%");
    written::<Loss>("ge:p=1%,r=25%", "ge:p=1%,r=25%,good=0%,bad=100%");
    written::<Loss>(
        "ge:r=50%,p=0.1%,good=0.01%,bad=30%",
        "ge:p=0.1%,r=50%,good=0.01%,bad=30%",
    );
    for text in [
        "",
        "1",
        "ge",
        "ge:",
        "ge:p=1%",
        "ge:p=0%,r=0%",
        "ge:p=1%,r=1%,x=1%",
    ] {
        refused::<Loss>(text, text, "a probability (1%)");
    }
    refused::<Loss>("ge:p=1,r=1%", "1", "0% to 100%");
}

#[test]
fn what_a_wire_does_is_read_and_written() {
    written::<Jitter>("uniform:max=10ms", "uniform:min=0ms,max=10ms,order=keep");
    written::<Jitter>(
        "normal:mean=5ms,sd=2ms,order=free",
        "normal:mean=5ms,sd=2ms,order=free",
    );
    written::<Jitter>(
        "wifi",
        "wifi:median=4ms,stall=50ms..100ms,every=5s,link=sends",
    );
    written::<Jitter>(
        "wifi:link=stops,every=1s",
        "wifi:median=4ms,stall=50ms..100ms,every=1s,link=stops",
    );
    for text in [
        "",
        "uniform",
        "uniform:min=2ms,max=1ms",
        "normal:mean=1ms",
        "wifi:every=0ms",
        "wifi:order=free",
    ] {
        refused::<Jitter>(text, text, "uniform:min=0ms");
    }
    refused::<Jitter>("uniform:max=1ms,order=no", "no", "keep or free");
    written::<Jitter>("retries:7ms", "retries:7ms");
    written::<Jitter>("retries: 1ms@0s, 12ms@1s", "retries:1ms@0ms,12ms@1s");
    for text in ["retries", "retries:", "retries:mean=7ms", "retries:1ms@1s"] {
        refused::<Jitter>(text, text, "uniform:");
    }
    refused::<Jitter>("wifi:stall=2ms..1ms", "2ms..1ms", "from..to");
    refused::<Jitter>("wifi:link=waits", "waits", "sends or stops");
    written::<Reorder>("extra=5ms,p=1%", "p=1%,extra=5ms");
    for text in ["", "1%", "p=1%", "extra=1ms", "p=1%,extra=1ms,x=1"] {
        refused::<Reorder>(text, text, "p=1%,extra=5ms");
    }
    written::<Aggregate>("interval=4ms", "interval=4ms");
    written::<Aggregate>("max=32p,interval=4ms", "interval=4ms,max=32p");
    for text in ["", "4ms", "interval=0ms", "max=3p"] {
        refused::<Aggregate>(text, text, "interval=4ms");
    }
    refused::<Aggregate>("interval=4ms,max=0p", "0p", "1p or more");
    refused::<Aggregate>("interval=4ms,max=9kB", "9kB", "1p or more");
    written::<Outages>("10s..12s", "10s..12s");
    written::<Outages>("0s..1ms, 1ms..2ms", "0ms..1ms,1ms..2ms");
    for text in [
        "",
        "10s",
        "12s..10s",
        "1s..1s",
        "1s..3s,2s..4s",
        "5s..6s,1s..2s",
    ] {
        refused::<Outages>(text, text, "times from..until");
    }
    refused::<Outages>("1..2s", "1", "0ms to");
}

proptest! {
    #![proptest_config(seeded(500))]

    #[test]
    fn any_rates_delays_and_probabilities_are_read_back(
        steps in prop::collection::vec((1..5_000_000_000u64, 1..=1_000_000_000_000u64), 1..20),
        p in 0.0..=1.0,
    ) {
        let mut from = 0;
        let mut steps: Vec<_> = steps.into_iter().map(|(gap, value)| {
            let begin = from;
            from += gap;
            (Duration::from_nanos(begin).into(), value)
        }).collect();
        let delays: Vec<_> = steps.iter().map(|&(at, nanos)| (at, Duration::from_nanos(nanos))).collect();
        let delays = Schedule::new(delays).unwrap();
        prop_assert_eq!(delays.to_string().parse(), Ok(delays));
        let rates = steps.drain(..).map(|(at, bits)| (at, Rate::from_bits_per_sec(bits).unwrap())).collect();
        let rates = Schedule::new(rates).unwrap();
        prop_assert_eq!(rates.to_string().parse(), Ok(rates));
        let p = Probability::new(p).unwrap();
        prop_assert_eq!(p.to_string().parse(), Ok(p));
    }
}
