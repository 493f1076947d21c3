//! Whether a check does what its file says, and what to do if it does not.

use super::fresh;
use super::judge::{CheckVerdict, PointVerdict};
use super::words::{bound, limit, measured, place};

/// What became of a check, beside what its file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// It holds.
    Holds,
    /// It does not, and its file does not say so.
    Fails,
    /// It does not, and its file says why, and how far it may be off: it is not farther off.
    WithinLimit,
    /// It is farther off, or at more points.
    BeyondLimit,
    /// It does not, and its file says why, but not how far it may be off.
    NoLimit,
    /// It holds with margin, and its file says that it does not.
    HoldsNow,
    /// The same without margin.
    HoldsBarely,
}

impl Finding {
    /// Whether nobody has to do anything.
    pub fn as_expected(self) -> bool {
        matches!(self, Self::Holds | Self::WithinLimit | Self::HoldsBarely)
    }
}

/// What there is to tell about a check.
pub struct Remark {
    /// Whether the check does something else than its file says.
    pub wrong: bool,
    /// What was found, and what to do.
    pub text: String,
}

/// What there is to tell about a check; nothing if all is well.
pub fn remark(verdict: &CheckVerdict<'_>) -> Option<Remark> {
    let finding = verdict.finding();
    let text = match finding {
        Finding::Holds => return None,
        Finding::WithinLimit if !fresh::is_loose(verdict) => return None,
        Finding::WithinLimit => format!(
            "could be held to less: limit = {} ({WRITE} does so)",
            fresh::limit(verdict)
        ),
        Finding::HoldsBarely => {
            "holds, but hardly; `deviates` may stay until it does with a margin of 1 %".into()
        }
        Finding::HoldsNow => format!(
            "holds at all of its points, with a margin, though `deviates` says why it does not; take `deviates` and \
             `limit` away ({WRITE} does so)"
        ),
        Finding::Fails => format!(
            "fails at {}; find what broke it, or if it is meant to be so say why in `deviates` and have its limit \
             written ({WRITE})",
            found(verdict)
        ),
        Finding::NoLimit => format!(
            "fails at {}, and nothing says how far it may be off; add limit = {} ({WRITE} does so)",
            found(verdict),
            fresh::limit(verdict)
        ),
        Finding::BeyondLimit => format!(
            "fails at {}; {}; find what made it worse, or if it is meant to be so have a new limit written ({WRITE}) and \
             see that `deviates` still says why",
            found(verdict),
            exceeded(verdict)
        ),
    };
    Some(Remark {
        wrong: !finding.as_expected(),
        text,
    })
}

const WRITE: &str = "--write-limits";

/// At how many points it fails, and the worst of them.
fn found(verdict: &CheckVerdict<'_>) -> String {
    let all = verdict.points.len();
    let failing = verdict.failing().count();
    let may = match verdict.spare() {
        0 => String::new(),
        spare => format!(", where it may at {spare}"),
    };
    let worst = worst(verdict).map_or(String::new(), |point| {
        format!("; worst{}", at(verdict, point))
    });
    format!("{failing} of {all} points{may}{worst}")
}

fn at(verdict: &CheckVerdict<'_>, point: &PointVerdict) -> String {
    let check = verdict.check;
    let place = match place(point) {
        place if place.is_empty() => String::new(),
        place => format!(" at {place}"),
    };
    let limit = limit(check, point).map_or(String::new(), |limit| format!(", limit {limit}"));
    format!(
        "{place}: measured {}, bound {}{limit}",
        measured(check, point),
        bound(check, point)
    )
}

/// Which part of its limit it does not keep to.
fn exceeded(verdict: &CheckVerdict<'_>) -> String {
    let beyond = verdict
        .failing()
        .filter(|point| !point.within_limit)
        .count();
    let allowed = verdict.check.limit.map_or(0, |limit| limit.points);
    let mut parts = Vec::new();
    if beyond > verdict.spare() {
        parts.push(format!("beyond its limit at {beyond} of them"));
    }
    if verdict.failing().count() > allowed {
        let all = verdict.points.len();
        parts.push(format!("its limit is {allowed} of {all} points"));
    }
    parts.join(", and ")
}

/// The point that is farthest off, first of those beyond the limit.
fn worst<'a>(verdict: &'a CheckVerdict<'_>) -> Option<&'a PointVerdict> {
    let terms = verdict.check.relation.terms;
    verdict.failing().max_by(|one, other| {
        let order = one.within_limit.cmp(&other.within_limit).reverse();
        order.then(one.excess(terms).total_cmp(&other.excess(terms)))
    })
}
