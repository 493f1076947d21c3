//! Where numbers come from: finds runs, metrics and formulas by name, and collects what each run has to measure.

use super::claim_set::{Curve, Origin, Parameters, Run, Source, Term};
use super::file;
use super::metric::Metric;
use super::model::Model;
use super::quantity::Quantity;
use super::value::{Unit, Value, ALLOWED};

/// The runs of a claim set while its claims are read.
pub struct Sources {
    runs: Vec<Run>,
}

impl Sources {
    /// With these runs, in which nothing is measured so far.
    pub fn new(runs: Vec<Run>) -> Self {
        Self { runs }
    }

    /// The runs, with all that is to be measured in them.
    pub fn into_runs(self) -> Vec<Run> {
        self.runs
    }

    /// The run of this name.
    fn run(&self, name: &str) -> Result<usize, String> {
        self.runs
            .iter()
            .position(|run| run.name == name)
            .ok_or_else(|| {
                let names: Vec<_> = self.runs.iter().map(|run| run.name.as_str()).collect();
                format!("there is no [run.{name}]; there are {}", names.join(", "))
            })
    }

    /// What a file says to measure.
    ///
    /// # Errors
    /// What is wrong, and what is allowed.
    pub fn source(&mut self, given: &file::Measure) -> Result<Source, String> {
        let run = given
            .run
            .as_deref()
            .map(|name| self.run(name))
            .transpose()?;
        let only: Parameters = given
            .only
            .iter()
            .map(|(key, value)| (key.clone(), value.0.clone()))
            .collect();
        if let Some(run) = run {
            if self.runs[run].matching(&only).next().is_none() {
                return Err(format!(
                    "no variant of the run `{}` has {only:?}",
                    self.runs[run].name
                ));
            }
        }
        match (&given.model, &given.metric, run) {
            (Some(name), None, run) => self.model(name, given, run, only, None),
            (None, Some(_), Some(run)) => {
                let (quantity, slot) = self.metric(given, run)?;
                Ok(Source {
                    origin: Origin::Metric(slot),
                    run: Some(run),
                    only,
                    unit: quantity.unit(),
                    absent: quantity.absent(),
                })
            }
            _ => Err("a measure has `run` and `metric`, or `model` and `with`".into()),
        }
    }

    fn checked_metric(&self, given: &file::Measure, run: usize) -> Result<Metric, String> {
        let metric = Metric::of(given)?;
        for variant in &self.runs[run].variants {
            metric.check(&variant.scenario)?;
        }
        Ok(metric)
    }

    fn metric(&mut self, given: &file::Measure, run: usize) -> Result<(Quantity, usize), String> {
        let metric = self.checked_metric(given, run)?;
        Ok((metric.quantity, slot(&mut self.runs[run].metrics, metric)))
    }

    /// A curve of the one variant that `given` means. Returns its unit, run, variant and place.
    ///
    /// # Errors
    /// What is wrong, and what is allowed.
    pub fn curve(
        &mut self,
        given: &file::Measure,
        every: Option<std::time::Duration>,
    ) -> Result<(Unit, [usize; 3]), String> {
        let name = given
            .run
            .as_deref()
            .ok_or("the series needs `run` and `metric`")?;
        let run = self.run(name)?;
        let metric = self.checked_metric(given, run)?;
        let only = given
            .only
            .iter()
            .map(|(key, value)| (key.clone(), value.0.clone()))
            .collect();
        let variant = self.runs[run].counterpart(&only, &Parameters::new())?;
        let unit = metric.quantity.unit();
        let place = slot(&mut self.runs[run].curves, Curve { metric, every });
        Ok((unit, [run, variant, place]))
    }

    /// A formula along one of its arguments. Returns the unit of that, too.
    ///
    /// # Errors
    /// What is wrong, and what is allowed.
    pub fn formula(
        &mut self,
        given: &file::Measure,
        along: &str,
    ) -> Result<(Unit, Source), String> {
        let (Some(name), None, None) = (&given.model, &given.metric, &given.run) else {
            return Err("a curve has `model` and `with`, and no run".into());
        };
        let source = self.model(name, given, None, Parameters::new(), Some(along))?;
        let model = Model::find(name)?;
        let place = model
            .arguments
            .iter()
            .find(|(argument, _)| *argument == along);
        let free = place.filter(|_| !given.arguments.contains_key(along));
        let (_, unit) = free.ok_or_else(|| {
            format!(
                "`along` names an argument of `{name}` that `with` leaves out; `{along}` does not"
            )
        })?;
        Ok((*unit, source))
    }

    fn model(
        &mut self,
        name: &str,
        given: &file::Measure,
        run: Option<usize>,
        only: Parameters,
        free: Option<&str>,
    ) -> Result<Source, String> {
        let model = Model::find(name)?;
        let known = |key: &&String| model.arguments.iter().any(|(name, _)| name == key);
        let names = || {
            model
                .arguments
                .iter()
                .map(|(name, _)| *name)
                .collect::<Vec<_>>()
                .join(", ")
        };
        if let Some(unknown) = given.arguments.keys().find(|key| !known(key)) {
            return Err(format!(
                "`{name}` has no argument `{unknown}`; it has {}",
                names()
            ));
        }
        let mut terms = Vec::new();
        for (argument, unit) in model.arguments {
            let value = given.arguments.get(*argument);
            if free == Some(*argument) && value.is_none() {
                terms.push(Term::Free);
                continue;
            }
            let value =
                value.ok_or_else(|| format!("`{name}` needs `{argument}`; it has {}", names()))?;
            terms.push(self.term(value, Some(*unit), run)?.0);
        }
        let measured = terms.iter().find_map(|term| match term {
            Term::Measured(source) => source.run,
            _ => None,
        });
        Ok(Source {
            origin: Origin::Model(model, terms),
            run: run.or(measured),
            only,
            unit: model.unit,
            absent: "nothing to compute",
        })
    }

    /// A value, a parameter of `run`, or a measurement; in `unit` if that is given. Returns its unit, too.
    ///
    /// # Errors
    /// What is wrong, and what is allowed.
    pub fn term(
        &mut self,
        given: &file::Argument,
        unit: Option<Unit>,
        run: Option<usize>,
    ) -> Result<(Term, Unit), String> {
        let text = match given {
            file::Argument::Measure(measure) => {
                let source = self.source(measure)?;
                let own = source.unit;
                if unit.is_some_and(|unit| unit != own) {
                    return Err(format!(
                        "what is measured is {}, which does not fit here",
                        own.name()
                    ));
                }
                return Ok((Term::Measured(Box::new(source)), own));
            }
            file::Argument::Value(text) => text,
        };
        if let Some(name) = text
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
        {
            return self.parameter(name, unit, run);
        }
        let (amount, unit) = amount(text, unit)?;
        Ok((Term::Constant(amount), unit))
    }

    fn parameter(
        &self,
        name: &str,
        unit: Option<Unit>,
        run: Option<usize>,
    ) -> Result<(Term, Unit), String> {
        let run = run.ok_or_else(|| format!("`{{{name}}}` needs `run`, whose parameter it is"))?;
        let mut own = None;
        for variant in &self.runs[run].variants {
            let known: Vec<_> = variant.parameters.keys().map(String::as_str).collect();
            let text = variant.parameters.get(name).ok_or_else(|| {
                format!(
                    "the run `{}` has no parameter `{name}`; it has: {}",
                    self.runs[run].name,
                    known.join(", ")
                )
            })?;
            own = Some(amount(text, unit.or(own))?.1);
        }
        let unit = own.ok_or("the run has no variant")?;
        Ok((Term::Parameter(name.to_owned(), unit), unit))
    }

    /// At how many points a check of this source is judged: variants of its run times windows.
    pub fn points(&self, source: &Source) -> usize {
        let Some(run) = source.run else {
            return 1;
        };
        let (variants, windows) = self.runs[run].points(source);
        variants.len() * windows
    }

    /// Whether both can be set beside each other: same unit, a counterpart for every variant, and seeds in pairs.
    ///
    /// # Errors
    /// What does not fit.
    pub fn comparable(&self, one: &Source, other: &Source) -> Result<(), String> {
        if one.unit != other.unit {
            return Err(format!(
                "{} cannot be compared with {}",
                one.unit.name(),
                other.unit.name()
            ));
        }
        let (Some(first), Some(second)) = (one.run, other.run) else {
            return Ok(());
        };
        let (first, second) = (&self.runs[first], &self.runs[second]);
        if second.seeds != first.seeds && second.seeds != 1 {
            return Err(format!(
                "`{}` has {} seeds and `{}` has {}",
                first.name, first.seeds, second.name, second.seeds
            ));
        }
        for variant in first.matching(&one.only) {
            second.counterpart(&other.only, &first.variants[variant].parameters)?;
        }
        Ok(())
    }
}

/// The text's amount in `unit`, or in its own if none is asked for.
///
/// # Errors
/// It is no value, or of another unit.
pub fn amount(text: &str, unit: Option<Unit>) -> Result<(f64, Unit), String> {
    let value =
        Value::parse(text).ok_or_else(|| format!("`{text}` is no value; allowed are {ALLOWED}"))?;
    let unit = unit.unwrap_or(value.unit);
    let amount = value.amount_in(unit);
    let amount =
        amount.ok_or_else(|| format!("`{text}` has the wrong unit; allowed is {}", unit.name()))?;
    Ok((amount, unit))
}

/// The place of `item` in `list`, at whose end it is put if it is not there yet.
fn slot<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    if let Some(place) = list.iter().position(|known| *known == item) {
        return place;
    }
    list.push(item);
    list.len() - 1
}
