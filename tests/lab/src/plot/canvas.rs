//! Shapes in pixels.

use svg::node::element::{Circle, Group, Line, Path, Rectangle, Text};
use svg::Document;

use super::style::{FRAME, INK, PAPER, TEXT};

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// Its left edge.
    pub left: f64,
    /// Its upper edge.
    pub top: f64,
    /// Its right edge.
    pub right: f64,
    /// Its lower edge.
    pub bottom: f64,
}

/// On which side of its point a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

/// Draws shapes one over the other.
pub struct Canvas {
    size: (f64, f64),
    groups: Vec<Group>,
}

impl Canvas {
    /// Of this width and height.
    pub fn new(width: f64, height: f64) -> Self {
        let paper = Rectangle::new()
            .set("width", width)
            .set("height", height)
            .set("fill", PAPER);
        Self {
            size: (width, height),
            groups: vec![Group::new().add(paper)],
        }
    }

    fn add(&mut self, node: impl svg::node::Node) {
        let group = self.groups.pop().unwrap_or_default();
        self.groups.push(group.add(node));
    }

    /// A straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, dashes: Option<&str>) {
        let line = Line::new()
            .set("x1", pixels(from.0))
            .set("y1", pixels(from.1))
            .set("x2", pixels(to.0))
            .set("y2", pixels(to.1))
            .set("stroke", colour);
        match dashes {
            Some(dashes) => self.add(line.set("stroke-dasharray", dashes)),
            None => self.add(line),
        }
    }

    /// The frame of an area.
    pub fn frame(&mut self, area: Area) {
        self.add(rectangle(area).set("fill", "none").set("stroke", FRAME));
    }

    /// A frame that stands out.
    pub fn outline(&mut self, area: Area, colour: &str) {
        let frame = rectangle(area).set("fill", "none").set("stroke", colour);
        self.add(frame.set("stroke-width", 1.6));
    }

    /// A filled area.
    pub fn fill(&mut self, area: Area, colour: &str) {
        self.add(rectangle(area).set("fill", colour));
    }

    /// A text whose middle line is at `y`.
    pub fn text(&mut self, text: &str, at: (f64, f64), anchor: Anchor) {
        self.styled(text, at, anchor, TEXT, INK);
    }

    /// The same in a size and a colour.
    pub fn styled(&mut self, text: &str, at: (f64, f64), anchor: Anchor, size: f64, colour: &str) {
        let node = place(text, anchor, size, colour)
            .set("x", pixels(at.0))
            .set("y", pixels(at.1 + 0.35 * size));
        self.add(node);
    }

    /// A text that reads from below upwards, centred at a point.
    pub fn upright(&mut self, text: &str, at: (f64, f64)) {
        let (x, y) = (pixels(at.0 + 0.35 * TEXT), pixels(at.1));
        let turn = format!("translate({x} {y}) rotate(-90)");
        self.add(place(text, Anchor::Middle, TEXT, INK).set("transform", turn));
    }

    /// Straight lines from point to point, cut off at the edges of `area`; points that are not finite leave gaps.
    pub fn path(&mut self, points: &[(f64, f64)], colour: &str, dashed: bool) {
        let path = Path::new()
            .set("d", steps(points))
            .set("fill", "none")
            .set("stroke", colour)
            .set("stroke-width", 1.4)
            .set("stroke-linejoin", "round");
        match dashed {
            true => self.add(path.set("stroke-dasharray", "6 3")),
            false => self.add(path),
        }
    }

    /// A dot.
    pub fn dot(&mut self, at: (f64, f64), colour: &str) {
        let dot = Circle::new()
            .set("cx", pixels(at.0))
            .set("cy", pixels(at.1))
            .set("r", 2.6)
            .set("fill", colour)
            .set("fill-opacity", 0.75);
        self.add(dot);
    }

    /// What is drawn from now on shows within `area` only, until [`unclip`](Canvas::unclip).
    pub fn clip(&mut self, area: Area) {
        let clip = svg::node::element::ClipPath::new()
            .set("id", clip_id(area))
            .add(rectangle(area));
        self.add(clip);
        let inside = Group::new().set("clip-path", format!("url(#{})", clip_id(area)));
        self.groups.push(inside);
    }

    /// See [`clip`](Canvas::clip).
    pub fn unclip(&mut self) {
        if let Some(inside) = self.groups.pop() {
            self.add(inside);
        }
    }

    /// The document. `title` is what screen readers say.
    pub fn finish(mut self, title: &str) -> String {
        while self.groups.len() > 1 {
            self.unclip();
        }
        let (width, height) = self.size;
        let document = Document::new()
            .set("viewBox", (0.0, 0.0, width, height))
            .set("width", width)
            .set("height", height)
            .set("role", "img")
            .set("font-family", "Helvetica, Arial, sans-serif")
            .add(svg::node::element::Title::new(title));
        let document = self.groups.into_iter().fold(document, Document::add);
        format!("{document}\n")
    }
}

/// Figures in one page share their ids: so equal ids have to mean equal areas.
fn clip_id(area: Area) -> String {
    let edges = [area.left, area.top, area.right, area.bottom];
    let edges = edges.map(|edge| (edge * 10.0).round().to_string());
    format!("area-{}", edges.join("-"))
}

fn rectangle(area: Area) -> Rectangle {
    Rectangle::new()
        .set("x", pixels(area.left))
        .set("y", pixels(area.top))
        .set("width", pixels(area.right - area.left))
        .set("height", pixels(area.bottom - area.top))
}

fn place(text: &str, anchor: Anchor, size: f64, colour: &str) -> Text {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    Text::new(text)
        .set("text-anchor", anchor)
        .set("font-size", size)
        .set("fill", colour)
}

/// A tenth of a pixel is more than anyone sees.
fn pixels(x: f64) -> f64 {
    // Adding zero turns -0 into 0.
    (x * 10.0).round() / 10.0 + 0.0
}

fn steps(points: &[(f64, f64)]) -> String {
    let mut steps = String::new();
    let mut pen_down = false;
    let mut last = None;
    for &(x, y) in points {
        if !(x.is_finite() && y.is_finite()) {
            pen_down = false;
            continue;
        }
        let here = (pixels(x), pixels(y));
        if pen_down && last == Some(here) {
            continue;
        }
        steps.push(if pen_down { 'L' } else { 'M' });
        steps.push_str(&format!("{} {}", here.0, here.1));
        (pen_down, last) = (true, Some(here));
    }
    steps
}
