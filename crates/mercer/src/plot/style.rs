//! Sizes and colours of every picture.

/// A colour of the screen: red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// As SVG writes it.
    pub(super) fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// The way from `self` to `other`, at `share` of it.
    fn towards(self, other: Colour, share: f64) -> Colour {
        let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
        Colour(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }

    /// Whether white text is easier to read on it than black: relative luminance below 0.18, where
    /// both have the same contrast (WCAG 2.2).
    pub(super) fn is_dark(self) -> bool {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2) < 0.18
    }
}

/// The paper.
pub(super) const PAPER: Colour = Colour(255, 255, 255);
/// Titles.
pub(super) const INK: Colour = Colour(34, 34, 34);
/// Labels and numbers.
pub(super) const SOFT_INK: Colour = Colour(85, 85, 85);
/// The frame and its ticks.
pub(super) const FRAME: Colour = Colour(140, 140, 140);
/// Lines across the frame.
pub(super) const GRID: Colour = Colour(232, 232, 232);
/// Lines to compare with.
pub(super) const REFERENCE: Colour = Colour(110, 110, 110);

/// Colours that stay apart with any of the usual kinds of colour blindness (Okabe and Ito, *Color
/// Universal Design*, 2008), without the yellow that white paper swallows.
pub(super) const PALETTE: [Colour; 7] = [
    Colour(0, 114, 178),
    Colour(213, 94, 0),
    Colour(0, 158, 115),
    Colour(204, 121, 167),
    Colour(230, 159, 0),
    Colour(86, 180, 233),
    Colour(0, 0, 0),
];

/// From white through the blue of the palette to a dark blue: darker is more, also in grey.
pub(super) fn shade(share: f64) -> Colour {
    const STOPS: [Colour; 3] = [Colour(247, 250, 253), Colour(0, 114, 178), Colour(4, 44, 84)];
    let at = 2.0 * share.clamp(0.0, 1.0);
    if at <= 1.0 { STOPS[0].towards(STOPS[1], at) } else { STOPS[1].towards(STOPS[2], at - 1.0) }
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
    fn more_is_darker() {
        let sum = |c: Colour| u32::from(c.0) + u32::from(c.1) + u32::from(c.2);
        let shades: Vec<u32> = (0..=100).map(|i| sum(shade(f64::from(i) / 100.0))).collect();
        assert!(shades.windows(2).all(|w| w[1] <= w[0]) && shades[100] < shades[0]);
        assert_eq!(shade(f64::NAN.max(2.0)), shade(1.0));
    }

    #[test]
    fn text_stands_out() {
        assert!(Colour(0, 0, 0).is_dark() && shade(1.0).is_dark());
        assert!(!PAPER.is_dark() && !shade(0.0).is_dark());
    }
}
