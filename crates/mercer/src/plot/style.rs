//! Sizes of every picture, and what a colour is.

/// A colour of the screen: red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// As SVG writes it.
    pub(super) fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// The way from `self` to `other`, at `share` of it.
    pub(super) fn towards(self, other: Colour, share: f64) -> Colour {
        let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
        Colour(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }

    /// Relative luminance (WCAG 2.2), from 0 to 1.
    pub(super) fn luminance(self) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// Whether white text is easier to read on it than black: luminance below 0.18, where both have the same contrast.
    pub(super) fn is_dark(self) -> bool {
        self.luminance() < 0.18
    }

    /// What can be read on it.
    pub(super) fn readable(self) -> Colour {
        if self.is_dark() { Colour(255, 255, 255) } else { Colour(34, 34, 34) }
    }

    /// (lighter + 0.05)/(darker + 0.05), from 1 to 21.
    pub(super) fn contrast(self, other: Colour) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }
}

/// Height of letters of the title of a figure.
pub(super) const TITLE: f64 = 19.0;
/// Of the title of a panel.
pub(super) const HEADING: f64 = 16.0;
/// Of labels of axes.
pub(super) const LABEL: f64 = 13.5;
/// Of numbers, subtitles and legends.
pub(super) const SMALL: f64 = 12.5;
/// Around a panel.
pub(super) const MARGIN: f64 = 16.0;
/// Length of a tick.
pub(super) const TICK: f64 = 5.0;
/// Between a tick and its number.
pub(super) const GAP: f64 = 4.0;
/// Height of a line of text, relative to its letters.
pub(super) const LEADING: f64 = 1.35;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stands_out() {
        assert!(Colour(0, 0, 0).is_dark() && !Colour(255, 255, 255).is_dark());
        for grey in 0..=255 {
            let cell = Colour(grey, grey, grey);
            assert!(cell.readable().contrast(cell) > 3.4, "{grey}");
        }
    }
}
