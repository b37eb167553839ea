//! A text in a replicated struct.

use std::fmt;

/// A text of at most `N - 1` bytes, `char[N]` in C: it ends with a zero.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Text<const N: usize> {
    bytes: [u8; N],
}

impl<const N: usize> Text<N> {
    /// Cuts a text that is too long behind its last whole character, and one that has a zero byte
    /// before that.
    pub fn new(text: &str) -> Self {
        let mut cut = text.find('\0').unwrap_or(text.len()).min(N.saturating_sub(1));
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        let mut bytes = [0; N];
        bytes[..cut].copy_from_slice(&text.as_bytes()[..cut]);
        Self { bytes }
    }

    /// Gives the bytes before the zero. Another peer may send any.
    pub fn as_bytes(&self) -> &[u8] {
        let end = self.bytes.iter().position(|&byte| byte == 0).unwrap_or(N);
        &self.bytes[..end]
    }

    /// Gives the text up to the first byte that is not UTF-8.
    pub fn as_str(&self) -> &str {
        let bytes = self.as_bytes();
        match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
        }
    }
}

impl<const N: usize> Default for Text<N> {
    fn default() -> Self {
        Self { bytes: [0; N] }
    }
}

impl<const N: usize> From<&str> for Text<N> {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl<const N: usize> PartialEq for Text<N> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<const N: usize> Eq for Text<N> {}

impl<const N: usize> PartialEq<str> for Text<N> {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<const N: usize> fmt::Display for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl<const N: usize> fmt::Debug for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}
