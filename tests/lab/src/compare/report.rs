//! The comparison for people: a table of all points, what it comes to, and figures.

use std::fmt::Write;

use comfy_table::{presets, CellAlignment, Table};

use super::target::{DELAY_SHARE, LOSS_AT_START, UTILISATION_MARGIN};
use super::{find, maps, Entry, Outcome, Reached, Remarks, Suite};
use crate::page;
use crate::plot::{Axis, Figure, Horizontal, Mark, Scale, Series};

/// Delays shorter than this are drawn at this place of the logarithmic axis.
const SHORTEST_MS: f64 = 0.01;

/// The report of a suite.
pub struct Report {
    title: String,
    /// In Markdown; figures are files of the directory `figures` beside it.
    pub markdown: String,
    /// Names and drawings.
    pub figures: Vec<(String, String)>,
}

impl Report {
    /// Of these entries, with the remarks in front.
    pub fn of(suite: &Suite, entries: &[Entry], remarks: &Remarks<'_>) -> Self {
        let mut markdown = format!("# {}\n\n{ABOUT}\n", suite.title);
        if let Some(taken) = &remarks.taken {
            let _ = write!(
                markdown,
                "\n**Measured by an earlier build**, and taken from {taken}.\n"
            );
        }
        markdown.push_str(&gaps(&remarks.without));
        markdown.push_str("\n## What it comes to\n\n");
        markdown.push_str(&totals(suite, entries));
        let _ = write!(markdown, "\n{}\n", target(&suite.reference));
        let mut drawn = Vec::new();
        let mut show = |id: String, title: &str, svg: String| {
            let _ = write!(markdown, "\n![{title}](figures/{id}.svg)\n");
            drawn.push((id, svg));
        };
        for (id, map) in maps::maps(suite, entries) {
            show(id.to_owned(), &map.title, map.svg());
        }
        for (id, figure) in figures(suite, entries) {
            show(id, &figure.title, figure.svg());
        }
        markdown.push_str("\n## Every path\n\n");
        markdown.push_str(&paths(suite, entries));
        Self {
            title: suite.title.clone(),
            markdown,
            figures: drawn,
        }
    }

    /// As one HTML page, with the figures in it.
    pub fn html(&self) -> String {
        let find = |id: &str| {
            let found = self.figures.iter().find(|(known, _)| known == id);
            found.map(|(_, svg)| svg.clone())
        };
        page::html(&self.title, &self.markdown, find)
    }
}

const ABOUT: &str = "Utilisation is that of the bottleneck; delays are those of packets in queues (95th percentile); losses are shares of all packets. All \
of it is counted after the warm-up but for the losses at the start. Of several seeds the worst one stands, in every respect. These are whole quiche \
connections in virtual time: the same files give the same numbers.";

/// Which runs have no result, with the names of some.
fn gaps(without: &[&str]) -> String {
    const NAMED: usize = 10;
    let named = &without[..without.len().min(NAMED)];
    match without.len() {
        0 => String::new(),
        count => {
            let more = match count - named.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!(
                "\n**Runs without a result**, so that nothing stands where they belong: {}{more}.\n",
                named.join(", ")
            )
        }
    }
}

/// What it takes to reach the target, in words.
fn target(reference: &str) -> String {
    format!(
        "Target: utilisation no worse than {reference}'s less {} points; 95th percentile of the queueing delay at most {} of {reference}'s; \
         no loss after the start, and less than {} in it.",
        UTILISATION_MARGIN * 100.0,
        DELAY_SHARE,
        percent(LOSS_AT_START, 1)
    )
}

/// What a controller comes to over all points.
fn totals(suite: &Suite, entries: &[Entry]) -> String {
    let mut out = String::from(
        "| controller | utilisation, mean | least | p95 delay, geometric mean | loss, mean | loss at start, most | \
         target reached: utilisation | delay | no loss | loss at start | all |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for cc in &suite.controllers {
        let own: Vec<_> = entries.iter().filter(|entry| entry.cc == *cc).collect();
        let count = own.len().max(1) as f64;
        let mean = |value: &dyn Fn(&Outcome) -> f64| {
            own.iter().map(|entry| value(&entry.outcome)).sum::<f64>() / count
        };
        let log = mean(&|o| libm::log(o.queueing_p95_ms.max(SHORTEST_MS)));
        let least = own.iter().map(|e| e.outcome.utilisation);
        let start = own.iter().map(|e| e.outcome.loss_at_start);
        let _ = writeln!(
            out,
            "| {cc} | {} | {} | {:.2} ms | {} | {} | {} |",
            percent(mean(&|o| o.utilisation), 1),
            percent(least.fold(f64::INFINITY, f64::min), 1),
            libm::exp(log),
            percent(mean(&|o| o.loss), 3),
            percent(start.fold(0.0, f64::max), 2),
            counts(&own).join(" | "),
        );
    }
    out
}

/// At how many points each part of the target is reached, and all of it.
fn counts(own: &[&Entry]) -> [String; 5] {
    let parts: [fn(Reached) -> bool; 5] = [
        |reached| reached.utilisation,
        |reached| reached.delay,
        |reached| reached.loss,
        |reached| reached.loss_at_start,
        Reached::all,
    ];
    parts.map(|part| {
        let held = own.iter().filter(|entry| entry.reached.is_some_and(part));
        format!("{} of {}", held.count(), own.len())
    })
}

fn paths(suite: &Suite, entries: &[Entry]) -> String {
    let labels: Vec<_> = suite.axis.iter().map(|axis| axis.label.as_str()).collect();
    let mut out = format!("| {} |", labels.join(" | "));
    for cc in &suite.controllers {
        let _ = write!(out, " {cc} |");
    }
    out.push('\n');
    out.push_str(&"|---".repeat(labels.len() + suite.controllers.len()));
    out.push_str("|\n");
    for point in suite.points() {
        let _ = write!(out, "| {} |", point.join(" | "));
        for cc in &suite.controllers {
            let text = find(entries, cc, &point).map_or("-".into(), |e| cell(&e.outcome));
            let _ = write!(out, " {text} |");
        }
        out.push('\n');
    }
    out
}

/// `97.2 %, 12.3 ms, 0.12 %`
fn cell(outcome: &Outcome) -> String {
    format!(
        "{}, {:.1} ms, {}",
        percent(outcome.utilisation, 1),
        outcome.queueing_p95_ms,
        percent(outcome.loss, 2)
    )
}

/// `97.2 %`
fn percent(share: f64, digits: usize) -> String {
    format!("{:.digits$} %", share * 100.0)
}

/// Delay against utilisation, one figure per value of the outermost axis; and losses.
fn figures(suite: &Suite, entries: &[Entry]) -> Vec<(String, Figure)> {
    let (label, values) = match suite.axis.first() {
        Some(axis) => (axis.label.as_str(), axis.values.clone()),
        None => ("", vec![String::new()]),
    };
    let at = |value: &str| {
        let chosen = |entry: &&Entry| entry.point.first().is_none_or(|first| first == value);
        entries.iter().filter(chosen).collect::<Vec<_>>()
    };
    let trades = values.iter().enumerate().map(|(place, value)| {
        let title = format!("Delay and utilisation, {label} {value}");
        (format!("trade-{place}"), trade(suite, &at(value), title))
    });
    let losses = losses(suite, &values, |value| at(value));
    trades.chain([("losses".to_owned(), losses)]).collect()
}

fn trade(suite: &Suite, entries: &[&Entry], title: String) -> Figure {
    let series = suite.controllers.iter().map(|cc| Series {
        label: cc.clone(),
        mark: Mark::Points,
        points: entries
            .iter()
            .filter(|entry| entry.cc == *cc)
            .map(|entry| {
                let delay = entry.outcome.queueing_p95_ms.max(SHORTEST_MS);
                (delay, entry.outcome.utilisation * 100.0)
            })
            .collect(),
    });
    Figure {
        title,
        x: Horizontal::Numbers(Axis {
            label: "queueing delay, 95th percentile".to_owned(),
            unit: "ms".to_owned(),
            scale: Scale::Log,
            ..Axis::default()
        }),
        y: Axis {
            label: "utilisation".to_owned(),
            unit: "%".to_owned(),
            to: Some(100.0),
            ..Axis::default()
        },
        series: series.collect(),
        levels: Vec::new(),
    }
}

fn losses<'a>(suite: &Suite, values: &[String], at: impl Fn(&str) -> Vec<&'a Entry>) -> Figure {
    let mean = |cc: &str, value: &str| {
        let entries = at(value);
        let own = entries.iter().filter(|entry| entry.cc == cc);
        let (sum, count) = own.fold((0.0, 0), |(sum, count), entry| {
            (sum + entry.outcome.loss * 100.0, count + 1)
        });
        sum / f64::from(count.max(1))
    };
    let series = suite.controllers.iter().map(|cc| Series {
        label: cc.clone(),
        mark: Mark::Bars,
        points: values
            .iter()
            .enumerate()
            .map(|(place, value)| (place as f64, mean(cc, value)))
            .collect(),
    });
    Figure {
        title: "Packets lost after the start, mean of all paths".to_owned(),
        x: Horizontal::Names(values.to_vec()),
        y: Axis {
            label: "loss".to_owned(),
            unit: "%".to_owned(),
            from: Some(0.0),
            ..Axis::default()
        },
        series: series.collect(),
        levels: Vec::new(),
    }
}

/// All points for a terminal.
pub fn table(suite: &Suite, entries: &[Entry]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    let axes = suite.axis.iter().map(|axis| axis.label.clone());
    let heads = suite.controllers.iter();
    let heads = heads.map(|cc| format!("{cc}\nutilisation, p95 delay, loss"));
    table.set_header(axes.chain(heads));
    for point in suite.points() {
        let values = point.iter().map(|value| (*value).to_owned());
        let cells = suite.controllers.iter().map(|cc| {
            find(entries, cc, &point).map_or_else(|| "-".to_owned(), |entry| cell(&entry.outcome))
        });
        table.add_row(values.chain(cells));
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\n")
}
