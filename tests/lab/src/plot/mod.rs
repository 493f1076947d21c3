//! Figures as papers print them: lines over time, scatter, distributions, bars, heat maps; as SVG.
//!
//! A figure is data; [`Figure::svg`] and [`HeatMap::svg`] draw it. Same data, same bytes: nothing depends on the machine or on its
//! fonts. Text is `sans-serif` of whoever views it, so room for it is estimated on the generous side.

mod axis;
mod canvas;
mod colour;
mod draw;
mod heat;
mod style;
#[cfg(test)]
mod tests;

pub use self::axis::{Axis, Scale};
pub use self::colour::Ramp;
pub use self::heat::{Cell, HeatMap};

/// A figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// One line above it.
    pub title: String,
    /// The horizontal axis.
    pub x: Horizontal,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, in this order.
    pub series: Vec<Series>,
    /// Horizontal lines, such as a threshold or a capacity.
    pub levels: Vec<Level>,
}

/// What the horizontal axis shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Horizontal {
    /// Numbers.
    Numbers(Axis),
    /// Names; the points of series count them from 0.
    Names(Vec<String>),
}

/// Something to draw.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub label: String,
    /// How it is drawn.
    pub mark: Mark,
    /// Where, in units of the axes. A value that is not finite leaves a gap.
    pub points: Vec<(f64, f64)>,
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Points joined by straight lines.
    Line,
    /// The same, dashed: for models beside measurements.
    Dashed,
    /// Points on their own.
    Points,
    /// A bar from the bottom of the figure; those of several series stand beside each other.
    Bars,
}

/// A horizontal line with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// Written at its right end.
    pub label: String,
    /// Where, in units of the vertical axis.
    pub at: f64,
}

impl Figure {
    /// The figure as an SVG document.
    pub fn svg(&self) -> String {
        draw::draw(self)
    }
}
