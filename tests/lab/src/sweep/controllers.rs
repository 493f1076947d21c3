//! Lists of controllers on the command line.

use quiche_cc::catalogue;

/// Takes a list like `reno,hybrid:paper,d1=10ms,cubic` apart. Options contain commas, too: an item belongs to the
/// controller before it if that has options, and what stands before its own colon is not the name of a controller.
pub fn split(list: &str) -> Vec<String> {
    let mut controllers: Vec<String> = Vec::new();
    for item in list.split(',') {
        match controllers.last_mut() {
            Some(last) if last.contains(':') && !is_controller(item) => {
                last.push(',');
                last.push_str(item);
            }
            _ => controllers.push(item.to_owned()),
        }
    }
    controllers
}

fn is_controller(item: &str) -> bool {
    let name = item.split_once(':').map_or(item, |(name, _)| name);
    catalogue::is_known(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stay_with_their_controller() {
        for (list, controllers) in [
            ("reno", &["reno"][..]),
            ("reno,cubic", &["reno", "cubic"]),
            (
                "hybrid:target_delay=12ms,drain_epochs=2,reno,hybrid:paper,smallq",
                &[
                    "hybrid:target_delay=12ms,drain_epochs=2",
                    "reno",
                    "hybrid:paper",
                    "smallq",
                ],
            ),
            (
                "hybird:target_delay=12ms,reno",
                &["hybird:target_delay=12ms", "reno"],
            ),
            ("reno,hybird", &["reno", "hybird"]),
            ("hybrid,growth=2", &["hybrid", "growth=2"]),
            ("", &[""]),
        ] {
            assert_eq!(split(list), controllers, "{list}");
        }
    }
}
