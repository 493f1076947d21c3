//! Puts a figure onto a canvas.

use super::axis::{Axis, Extent, Tick};
use super::canvas::{Anchor, Area, Canvas};
use super::style::{colour, width, FRAME, GAP, GRID, HEIGHT, INK, LEVEL, TEXT, TICK, TITLE, WIDTH};
use super::{Figure, Horizontal, Mark, Series};

const MARKS_X: usize = 8;
const MARKS_Y: usize = 5;
/// Share of a name's room that its bars fill.
const BARS: f64 = 0.7;
/// Length of a line in the legend.
const SAMPLE: f64 = 18.0;

/// The figure as an SVG document.
pub fn draw(figure: &Figure) -> String {
    let x = horizontal(figure);
    let y = vertical(figure);
    let ticks = y.ticks(MARKS_Y);
    let legend = legend_rows(figure);
    let area = layout(figure, &ticks, legend.len());
    let frame = Frame { area, x, y };
    let mut canvas = Canvas::new(WIDTH, area.bottom + TICK + 2.0 * TEXT + 3.0 * GAP);
    let title = (area.left, GAP + TITLE / 2.0);
    // A long title is written smaller.
    let room = (WIDTH - area.left - GAP) / width(&figure.title, TITLE);
    let size = TITLE * room.min(1.0);
    canvas.styled(&figure.title, title, Anchor::Start, size, INK);
    draw_legend(&mut canvas, figure, &legend, area);
    frame.draw_y(&mut canvas, &figure.y, &ticks);
    frame.draw_x(&mut canvas, &figure.x);
    canvas.clip(area);
    for level in &figure.levels {
        let height = frame.point(0.0, level.at).1;
        canvas.line(
            (area.left, height),
            (area.right, height),
            LEVEL,
            Some("2 3"),
        );
    }
    for (place, series) in figure.series.iter().enumerate() {
        frame.draw_series(&mut canvas, figure, place, series);
    }
    canvas.unclip();
    canvas.frame(area);
    draw_level_names(&mut canvas, figure, &frame);
    canvas.finish(&figure.title)
}

fn horizontal(figure: &Figure) -> Extent {
    let points = figure.series.iter().flat_map(|series| &series.points);
    match &figure.x {
        Horizontal::Numbers(axis) => axis.extent(points.map(|point| point.0), MARKS_X),
        Horizontal::Names(names) => Extent::of_names(names.len()),
    }
}

/// Bars begin at the bottom, so that has to be zero if nothing else is asked for.
fn vertical(figure: &Figure) -> Extent {
    let points = figure.series.iter().flat_map(|series| &series.points);
    let levels = figure.levels.iter().map(|level| level.at);
    let bars = figure.series.iter().any(|s| s.mark == Mark::Bars);
    let zero = (bars && figure.y.scale == super::Scale::Linear).then_some(0.0);
    let values = points.map(|point| point.1).chain(levels).chain(zero);
    figure.y.extent(values, MARKS_Y)
}

/// The data's area: what remains beside title, legend, marks and captions.
fn layout(figure: &Figure, ticks: &[Tick], legend_rows: usize) -> Area {
    let marks = ticks.iter().map(|tick| width(&tick.text, TEXT));
    let names = figure.levels.iter().map(|level| width(&level.label, TEXT));
    let top = TITLE + 2.0 * GAP + legend_rows as f64 * (TEXT + GAP);
    Area {
        left: TEXT + 3.0 * GAP + marks.fold(0.0, f64::max),
        top,
        right: WIDTH - (names.fold(0.0, f64::max) + GAP).max(3.0 * GAP),
        bottom: top + HEIGHT - 3.0 * TEXT - 4.0 * GAP,
    }
}

/// The series of each row of the legend. One series needs none, its name stands in the title or on the axis.
fn legend_rows(figure: &Figure) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    if figure.series.len() < 2 {
        return rows;
    }
    let mut used = f64::INFINITY;
    for (place, series) in figure.series.iter().enumerate() {
        let needed = entry_width(series);
        if used + needed > WIDTH - 12.0 * GAP {
            rows.push(Vec::new());
            used = 0.0;
        }
        used += needed;
        rows.last_mut().into_iter().for_each(|row| row.push(place));
    }
    rows
}

fn entry_width(series: &Series) -> f64 {
    SAMPLE + GAP + width(&series.label, TEXT) + 2.0 * GAP
}

fn draw_legend(canvas: &mut Canvas, figure: &Figure, rows: &[Vec<usize>], area: Area) {
    for (number, row) in rows.iter().enumerate() {
        let y = TITLE + 2.0 * GAP + TEXT / 2.0 + number as f64 * (TEXT + GAP);
        let mut x = area.left;
        for &place in row {
            let series = &figure.series[place];
            draw_sample(canvas, series.mark, (x, y), colour(place));
            let at = (x + SAMPLE + 0.75 * GAP, y);
            canvas.text(&series.label, at, Anchor::Start);
            x += entry_width(series);
        }
    }
}

fn draw_sample(canvas: &mut Canvas, mark: Mark, (x, y): (f64, f64), colour: &str) {
    match mark {
        Mark::Line => canvas.path(&[(x, y), (x + SAMPLE, y)], colour, false),
        Mark::Dashed => canvas.path(&[(x, y), (x + SAMPLE, y)], colour, true),
        Mark::Points => canvas.dot((x + SAMPLE / 2.0, y), colour),
        Mark::Bars => canvas.fill(
            Area {
                left: x + 4.0,
                top: y - 5.0,
                right: x + SAMPLE - 4.0,
                bottom: y + 5.0,
            },
            colour,
        ),
    }
}

/// Names of levels at the right edge, each at least a line above the one below.
fn draw_level_names(canvas: &mut Canvas, figure: &Figure, frame: &Frame) {
    let mut names: Vec<(f64, &str)> = figure
        .levels
        .iter()
        .map(|level| (frame.point(0.0, level.at).1, level.label.as_str()))
        .filter(|(height, _)| (frame.area.top..=frame.area.bottom).contains(height))
        .collect();
    names.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut above = f64::INFINITY;
    for (height, name) in names {
        above = height.min(above - TEXT);
        let at = (frame.area.right + 0.5 * GAP, above);
        canvas.styled(name, at, Anchor::Start, TEXT, LEVEL);
    }
}

/// Where data goes.
struct Frame {
    area: Area,
    x: Extent,
    y: Extent,
}

impl Frame {
    fn point(&self, x: f64, y: f64) -> (f64, f64) {
        let Area {
            left,
            top,
            right,
            bottom,
        } = self.area;
        let (x, y) = (self.x.place(x), self.y.place(y));
        // A file with huge coordinates shows nothing more.
        let near = |place: f64| place.clamp(-10.0, 10.0);
        (
            left + near(x) * (right - left),
            bottom - near(y) * (bottom - top),
        )
    }

    fn draw_y(&self, canvas: &mut Canvas, axis: &Axis, ticks: &[Tick]) {
        let area = self.area;
        for tick in ticks {
            let height = self.point(0.0, tick.at).1;
            canvas.line((area.left, height), (area.right, height), GRID, None);
            canvas.line((area.left - TICK, height), (area.left, height), FRAME, None);
            let at = (area.left - TICK - 0.5 * GAP, height);
            canvas.text(&tick.text, at, Anchor::End);
        }
        let middle = (area.top + area.bottom) / 2.0;
        canvas.upright(&axis.caption(), (TEXT / 2.0 + 0.5 * GAP, middle));
    }

    fn draw_x(&self, canvas: &mut Canvas, x: &Horizontal) {
        let area = self.area;
        let text = area.bottom + TICK + 0.5 * GAP + TEXT / 2.0;
        match x {
            Horizontal::Names(names) => {
                for (place, name) in names.iter().enumerate() {
                    let at = self.point(place as f64, 0.0).0;
                    canvas.text(name, (at, text), Anchor::Middle);
                }
            }
            Horizontal::Numbers(axis) => {
                for tick in self.x.ticks(MARKS_X) {
                    let at = self.point(tick.at, 0.0).0;
                    canvas.line((at, area.top), (at, area.bottom), GRID, None);
                    canvas.line((at, area.bottom), (at, area.bottom + TICK), FRAME, None);
                    canvas.text(&tick.text, (at, text), Anchor::Middle);
                }
                let middle = ((area.left + area.right) / 2.0, text + TEXT + 0.5 * GAP);
                canvas.text(&axis.caption(), middle, Anchor::Middle);
            }
        }
    }

    fn draw_series(&self, canvas: &mut Canvas, figure: &Figure, place: usize, series: &Series) {
        let colour = colour(place);
        let points = series.points.iter().map(|(x, y)| self.point(*x, *y));
        match series.mark {
            Mark::Line => canvas.path(&points.collect::<Vec<_>>(), colour, false),
            Mark::Dashed => canvas.path(&points.collect::<Vec<_>>(), colour, true),
            Mark::Points => points
                .filter(|(x, y)| x.is_finite() && y.is_finite())
                .for_each(|point| canvas.dot(point, colour)),
            Mark::Bars => self.draw_bars(canvas, figure, place, colour),
        }
    }

    fn draw_bars(&self, canvas: &mut Canvas, figure: &Figure, place: usize, colour: &str) {
        let is_bars = |series: &&Series| series.mark == Mark::Bars;
        let beside = figure.series.iter().filter(is_bars).count() as f64;
        let before = figure.series[..place].iter().filter(is_bars).count() as f64;
        for &(x, y) in figure.series[place]
            .points
            .iter()
            .filter(|p| p.1.is_finite())
        {
            let left = x - BARS / 2.0 + BARS * before / beside;
            let (left, top) = self.point(left, y);
            let right = left + (self.point(BARS / beside, y).0 - self.point(0.0, y).0);
            let bottom = self.point(x, self.y.from()).1;
            let bar = Area {
                left,
                top,
                right,
                bottom,
            };
            canvas.fill(bar, colour);
        }
    }
}
