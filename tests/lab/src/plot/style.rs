//! What all figures look like.

/// Width and height in pixels of the figure itself.
pub const WIDTH: f64 = 720.0;
/// See [`WIDTH`].
pub const HEIGHT: f64 = 340.0;
/// Pixels of text.
pub const TEXT: f64 = 12.0;
/// Pixels of the title.
pub const TITLE: f64 = 14.0;
/// Pixels between one thing and the next.
pub const GAP: f64 = 8.0;
/// Length of the marks on axes.
pub const TICK: f64 = 4.0;
/// Text.
pub const INK: &str = "#222222";
/// Axes.
pub const FRAME: &str = "#666666";
/// Lines behind the data.
pub const GRID: &str = "#e4e4e4";
/// Levels and their names.
pub const LEVEL: &str = "#777777";
/// Behind everything.
pub const PAPER: &str = "#ffffff";
/// Series, told apart by people with any kind of colour vision (Okabe and Ito, darkened for thin lines on white).
pub const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#b5468b", "#c48a00", "#3a9ad9", "#444444",
];

/// The colour of the series at this place.
pub fn colour(place: usize) -> &'static str {
    COLOURS[place % COLOURS.len()]
}

/// A generous estimate of the width of a text in pixels.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.58
}
