//! Figures of a claim set.

use toml::Spanned;

use super::claim_set::{Axis, Data, Figure, Series};
use super::file::{self, Draw};
use super::resolve::{At, Checked};
use super::sources::Sources;
use super::value::{Unit, Value, ALLOWED};
use crate::plot::{Mark, Scale};

/// Series with the units of what they show.
struct Drawn {
    series: Series,
    x: Unit,
    y: Unit,
}

/// The figure.
pub fn resolve(given: &Spanned<file::Figure>, sources: &mut Sources) -> Checked<Figure> {
    let figure = given.get_ref();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if figure.id.get_ref().is_empty() || !figure.id.get_ref().chars().all(plain) {
        return Err("a figure's id is of letters, digits and -").at(&figure.id);
    }
    let mut all: Vec<Drawn> = Vec::new();
    for given in &figure.series {
        let drawn = series(given, sources)?;
        if let Some(first) = all
            .first()
            .filter(|first| (first.x, first.y) != (drawn.x, drawn.y))
        {
            let message = format!(
                "the series before shows {}, this one {}",
                first.y.name(),
                drawn.y.name()
            );
            return Err(message).at(given);
        }
        all.push(drawn);
    }
    let first = all
        .first()
        .ok_or("the figure has no [[claim.figure.series]]")
        .at(given)?;
    let (x, y) = (first.x, first.y);
    let over_time = figure
        .series
        .iter()
        .any(|series| series.get_ref().draw == Draw::OverTime);
    let curve = |series: &&Spanned<file::Series>| series.get_ref().draw == Draw::Curve;
    if let Some(curve) = figure.series.iter().find(curve) {
        if figure.x.from.is_none() || figure.x.to.is_none() {
            return Err("a curve needs `from` and `to` of the figure's `x`").at(curve);
        }
    }
    let level = |level: &file::Level| Ok((level.label.clone(), place(&level.at, y)?));
    Ok(Figure {
        id: figure.id.get_ref().clone(),
        title: figure.title.clone(),
        x: axis(&figure.x, x, if over_time { "time" } else { "" })?,
        y: axis(&figure.y, y, "")?,
        levels: figure.levels.iter().map(level).collect::<Checked<_>>()?,
        series: all.into_iter().map(|drawn| drawn.series).collect(),
    })
}

fn place(given: &Spanned<String>, unit: Unit) -> Checked<f64> {
    let value = Value::parse(given.get_ref());
    let value = value
        .ok_or_else(|| format!("this is no value; allowed are {ALLOWED}"))
        .at(given)?;
    let amount = value.amount_in(unit);
    amount
        .ok_or_else(|| format!("the wrong unit; allowed is {}", unit.name()))
        .at(given)
}

fn axis(given: &file::Axis, unit: Unit, label: &str) -> Checked<Axis> {
    let end = |end: &Option<Spanned<String>>| end.as_ref().map(|end| place(end, unit)).transpose();
    Ok(Axis {
        label: given.label.clone().unwrap_or_else(|| label.to_owned()),
        unit,
        from: end(&given.from)?,
        to: end(&given.to)?,
        scale: if given.log { Scale::Log } else { Scale::Linear },
    })
}

fn series(given: &Spanned<file::Series>, sources: &mut Sources) -> Checked<Drawn> {
    let series = given.get_ref();
    let every = series.every.as_ref().map(|every| every.get_ref().0 .0);
    let measure = &series.measure;
    let (mark, data, x, y) = match series.draw {
        Draw::OverTime => {
            let every = every.filter(|every| !every.is_zero());
            let every = every
                .ok_or("`over_time` needs `every`, such as \"1s\"")
                .at(given)?;
            let (unit, [run, variant, curve]) =
                sources.curve(measure.get_ref(), Some(every)).at(measure)?;
            (
                Mark::Line,
                Data::Curve {
                    run,
                    variant,
                    curve,
                },
                Unit::Time,
                unit,
            )
        }
        Draw::Distribution => {
            let (unit, [run, variant, curve]) =
                sources.curve(measure.get_ref(), None).at(measure)?;
            (
                Mark::Line,
                Data::Curve {
                    run,
                    variant,
                    curve,
                },
                unit,
                Unit::Share,
            )
        }
        Draw::Curve => {
            let along = series.along.as_deref();
            let along = along
                .ok_or("`curve` needs `along`, such as \"loss\"")
                .at(given)?;
            let (x, source) = sources.formula(measure.get_ref(), along).at(measure)?;
            let y = source.unit;
            (Mark::Dashed, Data::Formula(source), x, y)
        }
        Draw::Bars => {
            let name = series.name.clone().ok_or("`bars` needs `name`").at(given)?;
            let source = sources.source(measure.get_ref()).at(measure)?;
            let unit = source.unit;
            (Mark::Bars, Data::Bar(name, source), Unit::Number, unit)
        }
        Draw::Points | Draw::Line | Draw::Dashed => {
            let source = sources.source(measure.get_ref()).at(measure)?;
            let x = series
                .x
                .as_ref()
                .ok_or("this needs `x`, such as \"{loss}\"")
                .at(given)?;
            let (x, x_unit) = sources.term(x, None, source.run).at(given)?;
            let y_unit = source.unit;
            match series.draw {
                Draw::Points => (Mark::Points, Data::Points(x, source), x_unit, y_unit),
                Draw::Line => (Mark::Line, Data::Medians(x, source), x_unit, y_unit),
                _ => (Mark::Dashed, Data::Medians(x, source), x_unit, y_unit),
            }
        }
    };
    let label = series.label.clone();
    let series = Series { label, mark, data };
    Ok(Drawn { series, x, y })
}
