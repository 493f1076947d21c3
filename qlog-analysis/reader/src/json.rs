//! A reader of JSON that would rather give up than take what another reader might not: strings are ASCII without
//! escapes, whole numbers have no fraction, and no number has a sign. Whoever calls it has another way for the rest.

/// This text is not for this reader.
#[derive(Debug, PartialEq)]
pub struct Unsure;

pub type Result<T> = std::result::Result<T, Unsure>;

/// 2^62 - 1, as QUIC has it (RFC 9000 section 16).
const LARGEST: i64 = (1 << 62) - 1;
const MAX_TIME_MS: f64 = 1e11;
const DEEPEST: u32 = 32;

pub struct Json<'a> {
    text: &'a [u8],
    at: usize,
    depth: u32,
}

impl<'a> Json<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }

    /// Nothing before has a part in what follows.
    pub fn begin_record(&mut self) {
        self.depth = 0;
    }

    /// Whether nothing but white space is left of a record.
    pub fn record_ends(&mut self, separator: u8) -> Result<()> {
        match self.next() {
            0 if self.at == self.text.len() => Ok(()),
            b if b == separator => Ok(()),
            _ => Err(Unsure),
        }
    }

    /// Goes on behind the next separator; whether there is one.
    pub fn skip_past(&mut self, separator: u8) -> bool {
        let rest = &self.text[self.at..];
        let Some(length) = rest.iter().position(|&b| b == separator) else {
            return false;
        };
        self.at += length + 1;
        true
    }

    /// The next byte that is no white space; 0 at the end.
    pub fn next(&mut self) -> u8 {
        while let Some(&b) = self.text.get(self.at) {
            if !matches!(b, b' ' | b'\t' | b'\n' | b'\r') {
                return b;
            }
            self.at += 1;
        }
        0
    }

    fn token(&mut self, expected: u8) -> Result<()> {
        if self.next() != expected {
            return Err(Unsure);
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, expected: &[u8]) -> Result<()> {
        if !self.text[self.at..].starts_with(expected) {
            return Err(Unsure);
        }
        self.at += expected.len();
        Ok(())
    }

    /// Calls `each` with every name; it has to read the value.
    pub fn object(
        &mut self,
        mut each: impl FnMut(&mut Self, &'a [u8]) -> Result<()>,
    ) -> Result<()> {
        self.members(b'{', b'}', |json| {
            let name = json.string()?;
            json.token(b':')?;
            each(json, name)
        })
    }

    /// Calls `each` for every element, which it has to read.
    pub fn array(&mut self, each: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.members(b'[', b']', each)
    }

    fn members(
        &mut self,
        open: u8,
        close: u8,
        mut each: impl FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.token(open)?;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Unsure);
        }
        if self.next() != close {
            each(self)?;
            while self.next() == b',' {
                self.at += 1;
                each(self)?;
            }
        }
        self.depth -= 1;
        self.token(close)
    }

    /// None for null.
    pub fn optional<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<Option<T>> {
        if self.next() == b'n' {
            self.word(b"null").map(|()| None)
        } else {
            read(self).map(Some)
        }
    }

    pub fn string(&mut self) -> Result<&'a [u8]> {
        self.token(b'"')?;
        let begin = self.at;
        loop {
            match self.text.get(self.at) {
                Some(b'"') => break,
                Some(b' '..=b'~') if self.text[self.at] != b'\\' => self.at += 1,
                _ => return Err(Unsure),
            }
        }
        self.at += 1;
        Ok(&self.text[begin..self.at - 1])
    }

    pub fn boolean(&mut self) -> Result<bool> {
        if self.next() == b't' {
            self.word(b"true").map(|()| true)
        } else {
            self.word(b"false").map(|()| false)
        }
    }

    /// A whole number as QUIC has them.
    pub fn whole(&mut self) -> Result<i64> {
        self.next();
        let digits = self.digits();
        if digits.is_empty() || digits.len() > 19 || (digits[0] == b'0' && digits.len() > 1) {
            return Err(Unsure);
        }
        let value = digits.iter().fold(0_u64, |sum, &d| {
            sum.wrapping_mul(10).wrapping_add(u64::from(d - b'0'))
        });
        let fraction = matches!(self.text.get(self.at), Some(b'.' | b'e' | b'E'));
        i64::try_from(value)
            .ok()
            .filter(|v| *v <= LARGEST && !fraction)
            .ok_or(Unsure)
    }

    fn digits(&mut self) -> &'a [u8] {
        let begin = self.at;
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        &self.text[begin..self.at]
    }

    /// A number without a sign, as the nearest there is.
    pub fn number(&mut self) -> Result<f64> {
        self.next();
        let begin = self.at;
        self.numeral()?;
        let text = std::str::from_utf8(&self.text[begin..self.at]).map_err(|_| Unsure)?;
        text.parse()
            .ok()
            .filter(|v: &f64| v.is_finite())
            .ok_or(Unsure)
    }

    /// A time or a duration, of about three years at most.
    pub fn milliseconds(&mut self) -> Result<f64> {
        self.number()
            .and_then(|ms| (ms <= MAX_TIME_MS).then_some(ms).ok_or(Unsure))
    }

    fn numeral(&mut self) -> Result<()> {
        let digits = self.digits();
        if digits.is_empty() || (digits[0] == b'0' && digits.len() > 1) {
            return Err(Unsure);
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            if self.digits().is_empty() {
                return Err(Unsure);
            }
        }
        if matches!(self.text.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.text.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits().is_empty() {
                return Err(Unsure);
            }
        }
        Ok(())
    }

    /// A value that is not used.
    pub fn skip(&mut self) -> Result<()> {
        match self.next() {
            b'"' => self.string().map(drop),
            b'{' => self.object(|json, _| json.skip()),
            b'[' => self.array(Self::skip),
            b't' | b'f' => self.boolean().map(drop),
            b'n' => self.word(b"null"),
            b'-' => {
                self.at += 1;
                self.numeral()
            }
            _ => self.numeral(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(text: &[u8]) -> bool {
        let mut json = Json::new(text);
        json.skip().is_ok() && json.record_ends(0x1e).is_ok()
    }

    #[test]
    fn what_is_json_is_skipped() {
        for text in [
            "{}",
            "[]",
            " [ 1 , -2.5e+3 , null ] ",
            r#"{"a":{"b":[true,false]}}"#,
            "0",
            "0.5",
            "-0",
            r#""""#,
        ] {
            assert!(skipped(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn what_is_none_or_may_be_read_otherwise_is_not() {
        for text in [
            "",
            "{",
            "[1,]",
            "{\"a\"}",
            "{a:1}",
            "01",
            "1.",
            ".5",
            "1e",
            "+1",
            "- 1",
            "nul",
            "truth",
            "NaN",
            "\"a\\n\"",
            "\"\u{e9}\"",
            "\"\t\"",
            "\"a",
            "1 2",
            "{\"a\":1,}",
            "[1 2]",
        ] {
            assert!(!skipped(text.as_bytes()), "{text}");
        }
        assert!(!skipped("[".repeat(100_000).as_bytes()));
    }

    #[test]
    fn whole_numbers_are_those_of_quic() {
        let read = |text: &str| Json::new(text.as_bytes()).whole();
        assert_eq!(read(" 0"), Ok(0));
        assert_eq!(read("4611686018427387903"), Ok(LARGEST));
        for text in [
            "4611686018427387904",
            "99999999999999999999",
            "-1",
            "-0",
            "1.0",
            "1e3",
            "01",
            "",
        ] {
            assert_eq!(read(text), Err(Unsure), "{text}");
        }
    }

    #[test]
    fn numbers_are_the_nearest() {
        let read = |text: &str| Json::new(text.as_bytes()).number();
        assert_eq!(read("47.636665"), Ok(47.636_665));
        assert_eq!(read("9007199254740993"), Ok(9_007_199_254_740_992.0));
        assert_eq!(read("1E-2"), Ok(0.01));
        for text in ["1e999", "-1", "inf", "1.", "1.e1"] {
            assert_eq!(read(text), Err(Unsure), "{text}");
        }
    }
}
