//! Parameters of a model, as in `target=5ms,interval=100ms`.

use super::ParseError;

/// The parameters of one model, each taken once.
pub(crate) struct Params<'a> {
    pairs: Vec<(&'a str, &'a str)>,
    wrong: ParseError,
}

impl<'a> Params<'a> {
    /// Splits `text` (empty: no parameters); whatever is wrong with it is reported as `wrong`.
    pub(crate) fn new(text: &'a str, wrong: ParseError) -> Result<Self, ParseError> {
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for part in text.split(',').filter(|_| !text.trim().is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| wrong.clone())?;
            let (key, value) = (key.trim(), value.trim());
            if pairs.iter().any(|&(other, _)| other == key) {
                return Err(wrong);
            }
            pairs.push((key, value));
        }
        Ok(Self { pairs, wrong })
    }

    /// The parameter `key` as `read` reads it, if it was given.
    pub(crate) fn optional<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&str) -> Result<T, ParseError>,
    ) -> Result<Option<T>, ParseError> {
        let found = self.pairs.iter().position(|&(given, _)| given == key);
        found
            .map(|index| read(self.pairs.swap_remove(index).1))
            .transpose()
    }

    /// The parameter `key`, without which the model is not complete.
    pub(crate) fn required<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&str) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        self.optional(key, read)?.ok_or_else(|| self.wrong.clone())
    }

    /// No parameter may be left over, and the model must be `valid`.
    pub(crate) fn finish<T>(self, model: T, valid: bool) -> Result<T, ParseError> {
        if valid && self.pairs.is_empty() {
            Ok(model)
        } else {
            Err(self.wrong)
        }
    }
}
