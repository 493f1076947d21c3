//! Heat maps: a number for each pair of names, as a coloured cell with the number in it; several panels on one scale.

use super::axis::Axis;
use super::canvas::{Anchor, Area, Canvas};
use super::colour::{text_on, Ramp};
use super::style::{width, FRAME, GAP, GRID, INK, TEXT, TICK, TITLE};

/// Width of a cell in pixels.
const CELL: f64 = 47.0;
/// Its height.
const ROW: f64 = 24.0;
/// Pixels of numbers in cells.
const NUMBER: f64 = 11.5;
/// Between two panels.
const BETWEEN: f64 = 14.0;
/// Width of the bar of colours, and into how many steps it is cut.
const BAR: f64 = 220.0;
const STEPS: u32 = 55;
/// How far the frame of a marked cell lies inside of it.
const INSET: f64 = 2.5;

/// A heat map.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// One line above it.
    pub title: String,
    /// What the columns of every panel are.
    pub x: String,
    /// What its rows are.
    pub y: String,
    /// Names of the columns of every panel.
    pub columns: Vec<String>,
    /// Names of its rows.
    pub rows: Vec<String>,
    /// Names of the panels from left to right.
    pub across: Vec<String>,
    /// Names of the panels from above downwards.
    pub down: Vec<String>,
    /// What the numbers are, with both ends of the scale of colours.
    pub scale: Axis,
    /// Its colours.
    pub ramp: Ramp,
    /// What a marked cell has.
    pub mark: String,
    /// The numbers. A place without a cell stays empty.
    pub cells: Vec<Cell>,
}

/// A number in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The panel: its place in [`HeatMap::across`], and in [`HeatMap::down`].
    pub panel: (usize, usize),
    /// Its place in [`HeatMap::columns`].
    pub column: usize,
    /// Its place in [`HeatMap::rows`].
    pub row: usize,
    /// Decides the colour. One without a place on the scale has the colour of its beginning.
    pub value: f64,
    /// What is written.
    pub text: String,
    /// Whether it is framed.
    pub marked: bool,
}

impl HeatMap {
    /// The figure as an SVG document.
    pub fn svg(&self) -> String {
        let place = Places::of(self);
        let right = place.panel((self.across.len().max(1) - 1, 0)).right;
        let legend = place.left + TICK + width(&self.mark, TEXT) + CELL + 2.0 * GAP + BAR;
        let total = right.max(legend).max(width(&self.title, TITLE)) + 3.0 * GAP;
        let mut canvas = Canvas::new(total, place.bottom + 2.0 * TEXT + 3.0 * GAP);
        let at = (place.left, GAP + TITLE / 2.0);
        canvas.styled(&self.title, at, Anchor::Start, TITLE, INK);
        self.draw_legend(&mut canvas, &place, total - 3.0 * GAP);
        for down in 0..self.down.len() {
            for across in 0..self.across.len() {
                self.draw_panel(&mut canvas, &place, (across, down));
            }
        }
        for cell in &self.cells {
            self.draw_cell(&mut canvas, place.cell(cell), cell);
        }
        self.draw_names(&mut canvas, &place);
        canvas.finish(&self.title)
    }

    fn colour(&self, value: f64) -> String {
        let place = self.scale.extent(std::iter::empty(), 5).place(value);
        self.ramp.colour(if place.is_nan() { 0.0 } else { place })
    }

    /// What the mark means, and the colours with their numbers.
    fn draw_legend(&self, canvas: &mut Canvas, place: &Places, right: f64) {
        let top = TITLE + 2.0 * GAP;
        let sample = Area {
            left: place.left,
            top,
            right: place.left + CELL * 0.6,
            bottom: top + 0.7 * ROW,
        };
        let middle = (sample.top + sample.bottom) / 2.0;
        canvas.fill(sample, GRID);
        canvas.outline(inside(sample), INK);
        canvas.text(&self.mark, (sample.right + GAP, middle), Anchor::Start);
        let extent = self.scale.extent(std::iter::empty(), 5);
        let left = right - BAR;
        let step = |n: u32| f64::from(n) / f64::from(STEPS);
        for n in 0..STEPS {
            let part = Area {
                left: left + BAR * step(n),
                right: left + BAR * step(n + 1),
                ..sample
            };
            canvas.fill(part, &self.ramp.colour(step(n) + step(1) / 2.0));
        }
        let below = sample.bottom + TICK + TEXT / 2.0;
        for tick in extent.ticks(5) {
            let at = left + BAR * extent.place(tick.at);
            canvas.line(
                (at, sample.bottom),
                (at, sample.bottom + TICK / 2.0),
                FRAME,
                None,
            );
            canvas.text(&tick.text, (at, below), Anchor::Middle);
        }
        let caption = (left + BAR / 2.0, below + TEXT + 0.25 * GAP);
        canvas.text(&self.scale.caption(), caption, Anchor::Middle);
    }

    fn draw_panel(&self, canvas: &mut Canvas, place: &Places, panel: (usize, usize)) {
        let area = place.panel(panel);
        canvas.fill(area, GRID);
        let middle = (area.left + area.right) / 2.0;
        if panel.1 == 0 {
            let at = (middle, area.top - 0.5 * GAP - TEXT / 2.0);
            canvas.text(&self.across[panel.0], at, Anchor::Middle);
        }
        if panel.1 + 1 == self.down.len() {
            let below = area.bottom + 0.5 * GAP + TEXT / 2.0;
            for (column, name) in self.columns.iter().enumerate() {
                let at = area.left + (column as f64 + 0.5) * CELL;
                canvas.text(name, (at, below), Anchor::Middle);
            }
            let caption = (middle, below + TEXT + 0.25 * GAP);
            canvas.text(&self.x, caption, Anchor::Middle);
        }
    }

    fn draw_cell(&self, canvas: &mut Canvas, area: Area, cell: &Cell) {
        let colour = self.colour(cell.value);
        let text = text_on(&colour);
        canvas.fill(area, &colour);
        if cell.marked {
            canvas.outline(inside(area), text);
        }
        let middle = (
            (area.left + area.right) / 2.0,
            (area.top + area.bottom) / 2.0,
        );
        canvas.styled(&cell.text, middle, Anchor::Middle, NUMBER, text);
    }

    /// The names of rows, and of panels below each other.
    fn draw_names(&self, canvas: &mut Canvas, place: &Places) {
        let right = place.left - 0.5 * GAP;
        for (down, name) in self.down.iter().enumerate() {
            let area = place.panel((0, down));
            for (row, name) in self.rows.iter().enumerate() {
                let at = area.top + (row as f64 + 0.5) * ROW;
                canvas.text(name, (right, at), Anchor::End);
            }
            let middle = (area.top + area.bottom) / 2.0;
            canvas.upright(name, (TEXT / 2.0 + 0.5 * GAP, middle));
        }
        let above = place.panel((0, 0)).top - 0.5 * GAP - TEXT / 2.0;
        canvas.text(&self.y, (right, above), Anchor::End);
    }
}

fn inside(area: Area) -> Area {
    Area {
        left: area.left + INSET,
        top: area.top + INSET,
        right: area.right - INSET,
        bottom: area.bottom - INSET,
    }
}

/// Where panels and cells are.
struct Places {
    left: f64,
    top: f64,
    bottom: f64,
    /// Of a panel.
    size: (f64, f64),
    /// From a panel to the one below.
    step: f64,
}

impl Places {
    fn of(map: &HeatMap) -> Self {
        let names = map.rows.iter().chain([&map.y]);
        let names = names.map(|name| width(name, TEXT)).fold(0.0, f64::max);
        let top = TITLE + 5.0 * GAP + 0.7 * ROW + 2.5 * TEXT;
        let size = (map.columns.len() as f64 * CELL, map.rows.len() as f64 * ROW);
        // A name that stands upright beside its panel needs room.
        let upright = map.down.iter().map(|name| width(name, TEXT) + GAP);
        let step = upright.fold(size.1 + BETWEEN, f64::max);
        Self {
            left: TEXT + 2.0 * GAP + names,
            top,
            bottom: top + (map.down.len().max(1) - 1) as f64 * step + size.1,
            size,
            step,
        }
    }

    fn panel(&self, (across, down): (usize, usize)) -> Area {
        let left = self.left + across as f64 * (self.size.0 + BETWEEN);
        let top = self.top + down as f64 * self.step;
        Area {
            left,
            top,
            right: left + self.size.0,
            bottom: top + self.size.1,
        }
    }

    fn cell(&self, cell: &Cell) -> Area {
        let panel = self.panel(cell.panel);
        let left = panel.left + cell.column as f64 * CELL;
        let top = panel.top + cell.row as f64 * ROW;
        Area {
            left,
            top,
            right: left + CELL - 1.0,
            bottom: top + ROW - 1.0,
        }
    }
}
