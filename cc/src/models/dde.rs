//! Differential equations with one constant delay: `x'(t) = f(x(t), x(t - delay))`.
//!
//! The classical Runge-Kutta method of fourth order with steps that divide the delay, so that the
//! kinks which the start leaves at every multiple of the delay fall on steps. Half-way between
//! steps the past is taken from the cubic that has the values and slopes of both ends, whose error
//! is of the same order.
//!
//! Own code because a queue cannot be negative ([`System::constrain`]), which the solvers that
//! crates.io has do not know, and because a controller's user should not have to build one.

/// What is integrated.
pub(super) trait System<const N: usize> {
    /// The slope at `x`, with `past` the state one delay ago.
    fn slope(&self, x: &[f64; N], past: &[f64; N]) -> [f64; N];

    /// The state before and at the start, `t <= 0`.
    fn history(&self, t: f64) -> [f64; N];

    /// Brings a state back to where the system may be.
    fn constrain(&self, _x: &mut [f64; N]) {}
}

/// The states from the start to `duration`, a `1 / steps` of `delay` apart.
pub(super) fn integrate<const N: usize>(
    system: &impl System<N>,
    delay: f64,
    duration: f64,
    steps: usize,
) -> Vec<[f64; N]> {
    let step = delay / steps as f64;
    let wanted = (duration / step).round() as usize;
    let mut track = Track {
        system,
        steps,
        step,
        states: vec![system.history(0.0)],
        slopes: Vec::new(),
    };
    while track.states.len() <= wanted {
        track.advance();
    }
    track.states
}

struct Track<'a, const N: usize, S> {
    system: &'a S,
    steps: usize,
    step: f64,
    states: Vec<[f64; N]>,
    /// At the states, without the last.
    slopes: Vec<[f64; N]>,
}

impl<const N: usize, S: System<N>> Track<'_, N, S> {
    fn advance(&mut self) {
        let (h, x) = (self.step, self.states[self.states.len() - 1]);
        let [begin, middle, end] = [0.0, 0.5, 1.0].map(|part| self.past(part));
        let k1 = self.system.slope(&x, &begin);
        self.slopes.push(k1);
        let at = |slope: &[f64; N], part: f64| {
            let mut state = along(&x, slope, part * h);
            self.system.constrain(&mut state);
            state
        };
        let k2 = self.system.slope(&at(&k1, 0.5), &middle);
        let k3 = self.system.slope(&at(&k2, 0.5), &middle);
        let k4 = self.system.slope(&at(&k3, 1.0), &end);
        let mean = std::array::from_fn(|i| (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0);
        self.states.push(at(&mean, 1.0));
    }

    /// The state one delay before the present step, and `part` of a step later.
    fn past(&self, part: f64) -> [f64; N] {
        let present = self.states.len() - 1;
        let Some(place) = present.checked_sub(self.steps) else {
            let steps = present as f64 + part - self.steps as f64;
            return self.system.history(steps * self.step);
        };
        if part == 0.0 {
            return self.states[place];
        }
        let (a, b) = (&self.states[place], &self.states[place + 1]);
        if part == 1.0 {
            return *b;
        }
        let slope = |place: usize| self.slopes.get(place).copied();
        let da = slope(place).unwrap_or([0.0; N]);
        let db = slope(place + 1).unwrap_or(da);
        // Half-way: (a + b) / 2 + h (a' - b') / 8.
        std::array::from_fn(|i| (a[i] + b[i]) / 2.0 + self.step * (da[i] - db[i]) / 8.0)
    }
}

fn along<const N: usize>(x: &[f64; N], slope: &[f64; N], time: f64) -> [f64; N] {
    std::array::from_fn(|i| x[i] + time * slope[i])
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    /// `x' = -a x(t - 1)`.
    struct Feedback {
        a: f64,
        history: fn(f64) -> f64,
    }

    impl System<1> for Feedback {
        fn slope(&self, _x: &[f64; 1], past: &[f64; 1]) -> [f64; 1] {
            [-self.a * past[0]]
        }

        fn history(&self, t: f64) -> [f64; 1] {
            [(self.history)(t)]
        }
    }

    /// The largest error in 0..=`duration` against the exact solution.
    fn error(system: &Feedback, duration: f64, steps: usize, exact: fn(f64) -> f64) -> f64 {
        let states = integrate(system, 1.0, duration, steps);
        let errors = states
            .iter()
            .enumerate()
            .map(|(place, state)| (state[0] - exact(place as f64 / steps as f64)).abs());
        errors.fold(0.0, f64::max)
    }

    /// By the method of steps, from x = 1: a polynomial of one degree more in each unit of time.
    fn steps_of_one(t: f64) -> f64 {
        let term = |n: i32, factorial: f64| (t - f64::from(n - 1)).max(0.0).powi(n) / factorial;
        1.0 - term(1, 1.0) + term(2, 2.0) - term(3, 6.0) + term(4, 24.0) - term(5, 120.0)
    }

    #[test]
    fn polynomials_up_to_the_third_degree_are_exact_and_kinks_do_no_harm() {
        let system = Feedback {
            a: 1.0,
            history: |_| 1.0,
        };
        assert!(error(&system, 3.0, 2, steps_of_one) < 1e-14);
        let errors = [8, 16].map(|steps| error(&system, 5.0, steps, steps_of_one));
        assert!((errors[0] / errors[1] - 16.0).abs() < 0.1, "{errors:?}");
    }

    #[test]
    fn halving_the_step_divides_the_error_by_sixteen() {
        // x = cos(pi / 2 t) solves x' = -pi / 2 x(t - 1): neither grows nor decays.
        let system = Feedback {
            a: FRAC_PI_2,
            history: |t| (FRAC_PI_2 * t).cos(),
        };
        let errors =
            [8, 16, 32, 64].map(|steps| error(&system, 20.0, steps, |t| (FRAC_PI_2 * t).cos()));
        for pair in errors.windows(2) {
            let order = (pair[0] / pair[1]).log2();
            assert!((3.8..4.3).contains(&order), "order {order} with {errors:?}");
        }
        assert!(errors[3] < 1e-6, "{errors:?}");
    }
}
