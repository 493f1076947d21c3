//! Figures from results.

use super::claim_set::{Axis, Data, Figure, Parameters, Series, Source, Term};
use super::judge::median;
use super::results::{Point, Results};
use super::value::Unit;
use crate::plot::{self, Mark};

/// The figure with the points that the runs gave. Bars of one label are one series.
pub fn draw(figure: &Figure, results: &Results<'_>) -> plot::Figure {
    let mut names: Vec<String> = Vec::new();
    let mut series: Vec<plot::Series> = Vec::new();
    for given in &figure.series {
        let points = points(figure, given, results, &mut names);
        let alike = |known: &&mut plot::Series| {
            given.mark == Mark::Bars && known.mark == Mark::Bars && known.label == given.label
        };
        match series.iter_mut().find(alike) {
            Some(known) => known.points.extend(points),
            None => series.push(plot::Series {
                label: given.label.clone(),
                mark: given.mark,
                points,
            }),
        }
    }
    let (x, to_x) = axis(
        &figure.x,
        series.iter().flat_map(|s| &s.points).map(|point| point.0),
    );
    let (y, to_y) = axis(
        &figure.y,
        series.iter().flat_map(|s| &s.points).map(|point| point.1),
    );
    let numbered = names.is_empty();
    for point in series.iter_mut().flat_map(|series| &mut series.points) {
        *point = (
            if numbered { point.0 * to_x } else { point.0 },
            point.1 * to_y,
        );
    }
    let level = |(label, at): &(String, f64)| plot::Level {
        label: label.clone(),
        at: at * to_y,
    };
    plot::Figure {
        title: figure.title.clone(),
        x: if numbered {
            plot::Horizontal::Numbers(x)
        } else {
            plot::Horizontal::Names(names)
        },
        y,
        series,
        levels: figure.levels.iter().map(level).collect(),
    }
}

/// The axis, and how many of its unit make up the base unit.
fn axis(axis: &Axis, data: impl Iterator<Item = f64>) -> (plot::Axis, f64) {
    let largest = axis
        .to
        .unwrap_or_else(|| data.filter(|x| x.is_finite()).fold(0.0, f64::max));
    let (unit, factor) = match axis.unit {
        Unit::Time if largest >= 2.0 => ("s", 1.0),
        unit => unit.on_axes(),
    };
    let axis = plot::Axis {
        label: axis.label.clone(),
        unit: unit.to_owned(),
        from: axis.from.map(|from| from * factor),
        to: axis.to.map(|to| to * factor),
        scale: axis.scale,
    };
    (axis, factor)
}

fn points(
    figure: &Figure,
    series: &Series,
    results: &Results<'_>,
    names: &mut Vec<String>,
) -> Vec<(f64, f64)> {
    match &series.data {
        Data::Curve {
            run,
            variant,
            curve,
        } => results.curve(*run, *variant, *curve).to_vec(),
        Data::Points(x, y) => each(x, y, results, |x, y| {
            x.iter().zip(y).map(|(x, y)| (*x, *y)).collect()
        }),
        Data::Medians(x, y) => {
            let mut points = each(x, y, results, |x, y| vec![(middle(x), middle(y))]);
            points.sort_by(|one, other| one.0.total_cmp(&other.0));
            points
        }
        Data::Formula(source) => {
            let y = |x| results.formula(source, x).unwrap_or(f64::NAN);
            along(&figure.x).map(|x| (x, y(x))).collect()
        }
        Data::Bar(name, y) => {
            let place = names
                .iter()
                .position(|known| known == name)
                .unwrap_or_else(|| {
                    names.push(name.clone());
                    names.len() - 1
                });
            let zero = Term::Constant(0.0);
            each(&zero, y, results, |_, y| vec![(place as f64, middle(y))])
        }
    }
}

/// Places along an axis whose ends are known.
fn along(axis: &Axis) -> impl Iterator<Item = f64> {
    const STEPS: u32 = 200;
    let (from, to) = (axis.from.unwrap_or(0.0), axis.to.unwrap_or(0.0));
    let scale = axis.scale;
    (0..=STEPS).map(move |step| {
        let part = f64::from(step) / f64::from(STEPS);
        match scale {
            plot::Scale::Linear => from + part * (to - from),
            plot::Scale::Log => from * libm::pow(to / from, part),
        }
    })
}

/// The points of every variant, from the numbers of all seeds.
fn each(
    x: &Term,
    y: &Source,
    results: &Results<'_>,
    points: impl Fn(&[f64], &[f64]) -> Vec<(f64, f64)>,
) -> Vec<(f64, f64)> {
    let (variants, seeds, _) = results.extent(y);
    let of = |parameters: &Parameters| {
        let at = |seed| Point {
            parameters,
            seed,
            window: 0,
        };
        let x = (0..seeds).map(|seed| results.term(x, at(seed)).unwrap_or(f64::NAN));
        let y = (0..seeds).map(|seed| results.number(y, at(seed)).unwrap_or(f64::NAN));
        points(&x.collect::<Vec<_>>(), &y.collect::<Vec<_>>())
    };
    variants.iter().flat_map(of).collect()
}

fn middle(numbers: &[f64]) -> f64 {
    let mut known: Vec<f64> = numbers
        .iter()
        .copied()
        .filter(|number| number.is_finite())
        .collect();
    known.sort_by(f64::total_cmp);
    median(&known).unwrap_or(f64::NAN)
}
