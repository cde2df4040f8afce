//! Light and dark paper.

use super::style::Colour;

/// The paper of a figure, and the inks that can be read on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Theme {
    /// Dark ink on white.
    #[default]
    Light,
    /// Light ink on nearly black.
    Dark,
}

/// The colours of a theme.
#[derive(Debug)]
pub(super) struct Inks {
    /// The paper.
    pub(super) paper: Colour,
    /// Titles.
    pub(super) ink: Colour,
    /// Labels and numbers.
    pub(super) soft: Colour,
    /// The frame and its ticks.
    pub(super) frame: Colour,
    /// Lines across the frame.
    pub(super) grid: Colour,
    /// Lines to compare with.
    pub(super) reference: Colour,
    /// Colours of series, in their order.
    pub(super) palette: [Colour; 7],
    /// Of cells, from nothing to all.
    shades: [Colour; 3],
}

/// Okabe and Ito, *Color Universal Design* (2008), without the yellow that white paper swallows: colours that stay apart
/// with any of the usual kinds of colour blindness.
const LIGHT: Inks = Inks {
    paper: Colour(255, 255, 255),
    ink: Colour(34, 34, 34),
    soft: Colour(85, 85, 85),
    frame: Colour(140, 140, 140),
    grid: Colour(232, 232, 232),
    reference: Colour(110, 110, 110),
    palette: [
        Colour(0, 114, 178),
        Colour(213, 94, 0),
        Colour(0, 158, 115),
        Colour(204, 121, 167),
        Colour(230, 159, 0),
        Colour(86, 180, 233),
        Colour(0, 0, 0),
    ],
    shades: [Colour(250, 252, 254), Colour(0, 114, 178), Colour(4, 44, 84)],
};

/// The same hues, light enough for dark paper; the black becomes white, and the yellow is back.
const DARK: Inks = Inks {
    paper: Colour(20, 22, 26),
    ink: Colour(236, 236, 236),
    soft: Colour(184, 186, 190),
    frame: Colour(120, 124, 130),
    grid: Colour(48, 51, 57),
    reference: Colour(150, 153, 158),
    palette: [
        Colour(86, 180, 233),
        Colour(240, 133, 54),
        Colour(38, 190, 146),
        Colour(222, 150, 192),
        Colour(240, 228, 66),
        Colour(150, 160, 255),
        Colour(240, 240, 240),
    ],
    shades: [Colour(26, 29, 34), Colour(20, 110, 170), Colour(190, 225, 250)],
};

impl Theme {
    pub(super) fn inks(self) -> &'static Inks {
        match self {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        }
    }

    /// From nearly the paper through the blue of the palette to what stands out most: more is further from the paper,
    /// also in grey.
    pub(super) fn shade(self, share: f64) -> Colour {
        let [none, middle, all] = self.inks().shades;
        let at = 2.0 * share.clamp(0.0, 1.0);
        if at <= 1.0 { none.towards(middle, at) } else { middle.towards(all, at - 1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_further_from_the_paper() {
        for theme in [Theme::Light, Theme::Dark] {
            let away = |c: Colour| (c.luminance() - theme.inks().paper.luminance()).abs();
            let shades: Vec<f64> = (0..=100).map(|i| away(theme.shade(f64::from(i) / 100.0))).collect();
            assert!(shades.windows(2).all(|w| w[1] >= w[0] - 1e-3) && shades[100] > shades[0], "{shades:?}");
            assert_eq!(theme.shade(f64::NAN.max(2.0)), theme.shade(1.0));
        }
    }

    /// Contrast of WCAG 2.2: 4.5 for text, 3 for what is larger than letters.
    #[test]
    fn inks_can_be_read() {
        for theme in [Theme::Light, Theme::Dark] {
            let inks = theme.inks();
            for text in [inks.ink, inks.soft] {
                assert!(text.contrast(inks.paper) >= 4.5, "{theme:?} {text:?}");
            }
            // The sky blue and the orange of Okabe and Ito are fainter on white; shapes and dashes tell them apart, too.
            for (at, mark) in inks.palette.iter().enumerate() {
                assert!(mark.contrast(inks.paper) >= if at < 4 { 2.9 } else { 2.1 }, "{theme:?} {mark:?}");
            }
        }
    }
}
