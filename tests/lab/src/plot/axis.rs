//! Axes: from numbers to pixels, and where the marks are.

/// How numbers are spread along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By their logarithm; numbers that have none are not drawn.
    Log,
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// What it shows.
    pub label: String,
    /// In which unit; empty for plain numbers.
    pub unit: String,
    /// Where it begins; by the data if not given.
    pub from: Option<f64>,
    /// Where it ends; by the data if not given.
    pub to: Option<f64>,
    /// See [`Scale`].
    pub scale: Scale,
}

/// An axis with known ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    from: f64,
    to: f64,
    scale: Scale,
}

/// A mark of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Where.
    pub at: f64,
    /// What is written there.
    pub text: String,
}

impl Axis {
    /// The label with its unit.
    pub fn caption(&self) -> String {
        match self.unit.as_str() {
            "" => self.label.clone(),
            unit => format!("{} ({unit})", self.label),
        }
    }

    /// Its ends, for these data. What the data leave open is rounded to whole steps of about `marks` marks.
    pub fn extent(&self, data: impl Iterator<Item = f64>, marks: usize) -> Extent {
        let drawable = |x: &f64| x.is_finite() && (self.scale == Scale::Linear || *x > 0.0);
        let (low, high) = data
            .filter(drawable)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                (low.min(x), high.max(x))
            });
        let (low, high) = if low <= high { (low, high) } else { (1.0, 1.0) };
        match self.scale {
            Scale::Linear => self.linear(low, high, marks),
            Scale::Log => self.log(low, high),
        }
    }

    /// From zero, unless that would waste most of the room.
    fn linear(&self, low: f64, high: f64, marks: usize) -> Extent {
        let zero = low >= 0.0 && low < 0.5 * high || low == high;
        let from = self.from.unwrap_or(if zero { low.min(0.0) } else { low });
        let mut to = self.to.unwrap_or(high);
        if to <= from {
            to = from + if from == 0.0 { 1.0 } else { from.abs() };
        }
        let step = step(to - from, marks);
        let round = |x: f64, up: bool| {
            // A little less than whole, so that rounding errors do not add a step.
            let steps = x / step;
            step * if up {
                (steps - 1e-9).ceil()
            } else {
                (steps + 1e-9).floor()
            }
        };
        Extent {
            from: self.from.unwrap_or(round(from, false)),
            to: self.to.unwrap_or(round(to, true)),
            scale: Scale::Linear,
        }
    }

    /// Whole decades.
    fn log(&self, low: f64, high: f64) -> Extent {
        let decade = |x: f64| libm::pow(10.0, x);
        let from = self.from.unwrap_or(decade(libm::log10(low).floor()));
        let to = self.to.unwrap_or(decade(libm::log10(high).ceil()));
        Extent {
            from,
            to: if to > from { to } else { from * 10.0 },
            scale: Scale::Log,
        }
    }
}

impl Extent {
    /// From names: one unit each.
    pub fn of_names(count: usize) -> Self {
        Self {
            from: -0.5,
            to: count.max(1) as f64 - 0.5,
            scale: Scale::Linear,
        }
    }

    /// Where the axis begins.
    pub fn from(&self) -> f64 {
        self.from
    }

    /// How far along the axis `x` stands, 0 to 1 within it; not finite if it has no place.
    pub fn place(&self, x: f64) -> f64 {
        match self.scale {
            Scale::Linear => (x - self.from) / (self.to - self.from),
            Scale::Log if x > 0.0 => libm::log(x / self.from) / libm::log(self.to / self.from),
            Scale::Log => f64::NAN,
        }
    }

    /// About `marks` marks at round numbers.
    pub fn ticks(&self, marks: usize) -> Vec<Tick> {
        match self.scale {
            Scale::Linear => self.linear_ticks(marks),
            Scale::Log => self.log_ticks(),
        }
    }

    fn linear_ticks(&self, marks: usize) -> Vec<Tick> {
        let step = step(self.to - self.from, marks);
        let decimals = (-libm::log10(step) - 1e-9).ceil().max(0.0) as usize;
        let first = (self.from / step - 1e-9).ceil() as i64;
        let last = (self.to / step + 1e-9).floor() as i64;
        let tick = |number: i64| {
            let at = number as f64 * step;
            Tick {
                at,
                text: format!("{at:.decimals$}"),
            }
        };
        (first..=last).map(tick).collect()
    }

    /// Decades; with few of them also 2 and 5 of each.
    fn log_ticks(&self) -> Vec<Tick> {
        let (low, high) = (libm::log10(self.from), libm::log10(self.to));
        let every = ((high - low) / 8.0).ceil().max(1.0) as usize;
        let digits: &[f64] = if high - low < 2.5 {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0]
        };
        let decades = (low.floor() as i32..=high.ceil() as i32).step_by(every);
        let numbers = decades.flat_map(|decade| digits.iter().map(move |digit| (decade, *digit)));
        numbers
            .map(|(decade, digit)| Tick {
                at: digit * libm::pow(10.0, f64::from(decade)),
                text: power_of_ten(decade, digit),
            })
            .filter(|tick| (-1e-9..=1.0 + 1e-9).contains(&self.place(tick.at)))
            .collect()
    }
}

/// `digit` times 10 to the `decade`: plain where that is short.
fn power_of_ten(decade: i32, digit: f64) -> String {
    match decade {
        0..=3 => format!("{}", digit * libm::pow(10.0, f64::from(decade))),
        -3..=-1 => format!(
            "{:.*}",
            -decade as usize,
            digit * libm::pow(10.0, f64::from(decade))
        ),
        _ => {
            let raised = |c: char| match c {
                '-' => '⁻',
                digit => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹']
                    [digit as usize - '0' as usize],
            };
            let exponent: String = decade.to_string().chars().map(raised).collect();
            match digit {
                1.0 => format!("10{exponent}"),
                _ => format!("{digit}·10{exponent}"),
            }
        }
    }
}

/// 1, 2 or 5 times a power of ten, so that about `marks` of them, at most 10/7 times as many, make up `span`.
fn step(span: f64, marks: usize) -> f64 {
    let rough = span / marks as f64;
    let decade = libm::pow(10.0, libm::log10(rough).floor());
    let digit = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|digit| digit * decade >= rough * 0.7);
    digit.unwrap_or(10.0) * decade
}
