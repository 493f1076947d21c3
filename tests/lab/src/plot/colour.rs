//! Colours for numbers, told apart by people with any kind of colour vision: by lightness, or from blue to orange.

use super::style::{INK, PAPER};

/// How colours follow numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ramp {
    /// From pale to dark orange.
    Rising,
    /// From dark orange to pale.
    Falling,
    /// From dark blue by pale in the middle to dark orange.
    Diverging,
}

const ORANGE: [[f64; 3]; 3] = [
    [252.0, 246.0, 236.0],
    [232.0, 140.0, 60.0],
    [120.0, 45.0, 0.0],
];
const BLUE: [[f64; 3]; 3] = [
    [240.0, 247.0, 252.0],
    [80.0, 160.0, 210.0],
    [0.0, 60.0, 105.0],
];

impl Ramp {
    /// The colour at this place of the scale, 0 to 1; what lies outside has that of the nearer end.
    pub fn colour(self, place: f64) -> String {
        let place = place.clamp(0.0, 1.0);
        let [red, green, blue] = match self {
            Self::Rising => between(&ORANGE, place),
            Self::Falling => between(&ORANGE, 1.0 - place),
            Self::Diverging if place < 0.5 => between(&BLUE, 1.0 - 2.0 * place),
            Self::Diverging => between(&ORANGE, 2.0 * place - 1.0),
        };
        format!(
            "#{:02x}{:02x}{:02x}",
            red.round() as u8,
            green.round() as u8,
            blue.round() as u8
        )
    }
}

fn between(anchors: &[[f64; 3]; 3], place: f64) -> [f64; 3] {
    let (from, to, part) = match place < 0.5 {
        true => (anchors[0], anchors[1], 2.0 * place),
        false => (anchors[1], anchors[2], 2.0 * place - 1.0),
    };
    std::array::from_fn(|i| from[i] + (to[i] - from[i]) * part)
}

/// The colour of text on this background that has more contrast: ratio of relative luminances (WCAG 2.2).
pub fn text_on(background: &str) -> &'static str {
    let contrast = |text: &str| {
        let (one, other) = (luminance(text), luminance(background));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    };
    match contrast(INK) >= contrast(PAPER) {
        true => INK,
        false => PAPER,
    }
}

/// Relative luminance of `#rrggbb`, 0 to 1.
fn luminance(colour: &str) -> f64 {
    let channel = |at: usize| {
        let hex = colour.get(at..at + 2).unwrap_or("00");
        let value = f64::from(u8::from_str_radix(hex, 16).unwrap_or(0)) / 255.0;
        match value <= 0.04045 {
            true => value / 12.92,
            false => libm::pow((value + 0.055) / 1.055, 2.4),
        }
    };
    0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lightness_alone_tells_the_order_and_the_number_is_readable_on_every_colour() {
        let steps = || (0..=20).map(|step| f64::from(step) / 20.0);
        let falls = |ramp: Ramp, places: &[f64]| {
            let all: Vec<f64> = places
                .iter()
                .map(|place| luminance(&ramp.colour(*place)))
                .collect();
            all.windows(2).all(|pair| pair[0] > pair[1])
        };
        let up: Vec<f64> = steps().collect();
        let down: Vec<f64> = steps().map(|place| 1.0 - place).collect();
        assert!(falls(Ramp::Rising, &up) && falls(Ramp::Falling, &down));
        assert!(falls(Ramp::Diverging, &up[10..]) && falls(Ramp::Diverging, &down[11..]));
        for ramp in [Ramp::Rising, Ramp::Falling, Ramp::Diverging] {
            for place in steps() {
                let colour = ramp.colour(place);
                let (one, other) = (luminance(&colour), luminance(text_on(&colour)));
                let contrast = (one.max(other) + 0.05) / (one.min(other) + 0.05);
                assert!(contrast >= 4.0, "{contrast} at {place} of {ramp:?}");
            }
        }
    }

    #[test]
    fn numbers_beyond_the_scale_have_the_colour_of_its_end() {
        assert_eq!(Ramp::Rising.colour(7.0), Ramp::Rising.colour(1.0));
        assert_eq!(Ramp::Diverging.colour(-0.1), Ramp::Diverging.colour(0.0));
        assert_eq!(Ramp::Rising.colour(0.0), Ramp::Falling.colour(1.0));
    }
}
