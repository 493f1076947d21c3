//! What the runs of claim sets gave.

use std::collections::HashMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::claim_set::{ClaimSet, Curve, Origin, Parameters, Run, Source, Term};
use super::evaluate;
use super::metric::Metric;
use super::value::Value;
use crate::record::Record;
use crate::sweep::Plan;

/// Which run of a claim set: the place of the run, of its variant, and of its seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// The place of the claim set.
    pub set: usize,
    /// The place in [`ClaimSet::runs`].
    pub run: usize,
    /// The place in [`Run::variants`].
    pub variant: usize,
    /// The seed, less one.
    pub seed: usize,
}

/// What was measured and drawn in one run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Measured {
    /// Of each of [`Run::metrics`], one number per window.
    pub metrics: Vec<Vec<Option<f64>>>,
    /// Of each of [`Run::curves`], if it is the first seed.
    #[serde(deserialize_with = "with_gaps")]
    pub curves: Vec<Vec<(f64, f64)>>,
}

/// What is asked for of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    metrics: Vec<Metric>,
    curves: Vec<Curve>,
}

impl Wanted {
    /// In words that differ if it differs.
    pub fn words(&self) -> String {
        format!("{:?} {:?}", self.metrics, self.curves)
    }

    /// Of the run that `plan` was.
    pub fn of(&self, plan: &Plan, record: &Record) -> Measured {
        let run = evaluate::Run {
            scenario: &plan.scenario,
            record,
        };
        let curve = |curve: &Curve| match curve.every {
            Some(every) => run.over_time(&curve.metric, every),
            None => run.distribution(&curve.metric),
        };
        Measured {
            metrics: self.metrics.iter().map(|one| run.measure(one)).collect(),
            curves: self.curves.iter().map(curve).collect(),
        }
    }
}

/// Curves from JSON, which writes a gap, a number that is none, as null.
fn with_gaps<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Vec<(f64, f64)>>, D::Error> {
    let curves = Vec::<Vec<(f64, Option<f64>)>>::deserialize(from)?;
    let point = |(x, y): (f64, Option<f64>)| (x, y.unwrap_or(f64::NAN));
    let curve = |points: Vec<_>| points.into_iter().map(point).collect();
    Ok(curves.into_iter().map(curve).collect())
}

/// All runs to be made: those in which anything is measured.
pub struct Cases {
    /// The runs.
    pub plans: Vec<Plan>,
    cases: Vec<Case>,
    by_name: HashMap<String, usize>,
}

impl Cases {
    /// Of these claim sets.
    pub fn of(sets: &[ClaimSet]) -> Self {
        let mut all = Self {
            plans: Vec::new(),
            cases: Vec::new(),
            by_name: HashMap::new(),
        };
        for (place, set) in sets.iter().enumerate() {
            for (number, run) in set.runs.iter().enumerate() {
                if run.metrics.is_empty() && run.curves.is_empty() {
                    continue;
                }
                let case = |variant, seed| Case {
                    set: place,
                    run: number,
                    variant,
                    seed,
                };
                let variants = 0..run.variants.len();
                let cases = variants
                    .flat_map(|variant| (0..run.seeds).map(move |seed| case(variant, seed)));
                cases.for_each(|case| all.add(set.letter, run, case));
            }
        }
        all
    }

    fn add(&mut self, letter: char, run: &Run, case: Case) {
        let variant = &run.variants[case.variant];
        let values = variant
            .parameters
            .iter()
            .map(|(key, value)| format!(",{key}={value}"));
        let seed = case.seed as u64 + 1;
        let name = format!(
            "{letter}/{}{},seed={seed}",
            run.name,
            values.collect::<String>()
        );
        self.by_name.insert(name.clone(), self.cases.len());
        self.cases.push(case);
        self.plans.push(Plan {
            name,
            scenario: variant.scenario.clone(),
            text: variant.text.clone(),
            cc: variant.cc.clone(),
            seed,
            parameters: variant.parameters.clone().into_iter().collect(),
        });
    }

    /// What is asked for of the run of `plan`.
    pub fn asked(&self, sets: &[ClaimSet], plan: &Plan) -> Wanted {
        let case = self.cases[self.by_name[&plan.name]];
        let run = &sets[case.set].runs[case.run];
        let curves = run.curves.iter().filter(|_| case.seed == 0);
        Wanted {
            metrics: run.metrics.clone(),
            curves: curves.cloned().collect(),
        }
    }
}

/// What all runs of a claim set gave.
pub struct Results<'a> {
    /// The claim set.
    pub set: &'a ClaimSet,
    /// By run, variant and seed.
    measured: Vec<Vec<Vec<Measured>>>,
}

/// At which point of a claim a number is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Point<'a> {
    /// Values of the parameters there.
    pub parameters: &'a Parameters,
    /// The place of the seed.
    pub seed: usize,
    /// The place of the window.
    pub window: usize,
}

impl<'a> Results<'a> {
    /// Of the claim set at this place, from what every one of the `cases` gave.
    pub fn of(set: &'a ClaimSet, place: usize, cases: &Cases, given: &[Measured]) -> Self {
        let none = |run: &Run| vec![vec![Measured::default(); run.seeds]; run.variants.len()];
        let mut measured: Vec<_> = set.runs.iter().map(none).collect();
        for (case, given) in cases.cases.iter().zip(given) {
            if case.set == place {
                measured[case.run][case.variant][case.seed] = given.clone();
            }
        }
        Self { set, measured }
    }

    /// The number at a point, in base units; `None` if there was nothing to measure.
    pub fn number(&self, source: &Source, at: Point<'_>) -> Option<f64> {
        match &source.origin {
            Origin::Model(model, terms) => {
                let given: Option<Vec<f64>> =
                    terms.iter().map(|term| self.term(term, at)).collect();
                Some((model.compute)(&given?)).filter(|number| number.is_finite())
            }
            Origin::Metric(metric) => {
                let run = source.run?;
                let variant = self.set.runs[run]
                    .counterpart(&source.only, at.parameters)
                    .ok()?;
                let seeds = &self.measured[run][variant];
                let windows = &seeds[at.seed.min(seeds.len() - 1)].metrics[*metric];
                *windows.get(at.window).or_else(|| windows.first())?
            }
        }
    }

    /// The argument at a point, in its unit.
    pub fn term(&self, term: &Term, at: Point<'_>) -> Option<f64> {
        match term {
            Term::Constant(amount) => Some(*amount),
            Term::Free => None,
            Term::Measured(source) => self.number(source, at),
            Term::Parameter(name, unit) => Value::parse(at.parameters.get(name)?)?.amount_in(*unit),
        }
    }

    /// The formula at `x`, which stands for its free argument, in base units.
    pub fn formula(&self, source: &Source, x: f64) -> Option<f64> {
        let Origin::Model(model, terms) = &source.origin else {
            return None;
        };
        let parameters = Parameters::new();
        let at = Point {
            parameters: &parameters,
            seed: 0,
            window: 0,
        };
        let term = |term: &Term| match term {
            Term::Free => Some(x),
            other => self.term(other, at),
        };
        let given: Option<Vec<f64>> = terms.iter().map(term).collect();
        Some((model.compute)(&given?)).filter(|number| number.is_finite())
    }

    /// A curve of the first seed.
    pub fn curve(&self, run: usize, variant: usize, curve: usize) -> &[(f64, f64)] {
        &self.measured[run][variant][0].curves[curve]
    }

    /// Over how many seeds, variants and windows a source goes: the variants' parameters, seeds and windows.
    pub fn extent(&self, source: &Source) -> (Vec<Parameters>, usize, usize) {
        let Some(place) = source.run else {
            return (vec![Parameters::new()], 1, 1);
        };
        let run = &self.set.runs[place];
        let (variants, windows) = run.points(source);
        let parameters = variants
            .iter()
            .map(|place| run.variants[*place].parameters.clone());
        (parameters.collect(), run.seeds, windows)
    }
}
