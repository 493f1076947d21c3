//! `QUICHE_CC_HOLD`: release times for programs that do not respect them.

use std::sync::OnceLock;

use crate::environment;

/// Name of the environment variable.
const VARIABLE: &str = "QUICHE_CC_HOLD";

/// Whether the library itself holds packets back until their release time. It is looked up once, as the controller.
pub fn wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| {
        let Some(given) = environment::given(VARIABLE) else {
            return false;
        };
        let wanted = given == "1";
        let became = if wanted {
            "holds packets back until their release time"
        } else {
            "is not used: allowed is 1"
        };
        environment::tell(VARIABLE, &given, became);
        wanted
    })
}
