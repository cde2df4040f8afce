//! From values to colours.
//!
//! The control points are places on two paths of the space Oklab (Ottosson, *A perceptual color space for image
//! processing*, 2020), cut into steps of equal length, so that equal differences look equally large. Both paths change in
//! lightness and between blue and yellow or orange, which the usual kinds of colour blindness leave.

use super::style::Colour;

/// How values become colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColourMap {
    /// From dark blue through green to yellow: more is lighter.
    #[default]
    Sequential,
    /// From blue through nearly white at 0 to brown: the sign is the hue, the size the darkness.
    Diverging,
}

const SEQUENTIAL: [Colour; 17] = [
    Colour(44, 8, 90),
    Colour(42, 29, 106),
    Colour(35, 48, 120),
    Colour(21, 66, 131),
    Colour(2, 82, 136),
    Colour(2, 96, 137),
    Colour(0, 112, 141),
    Colour(1, 128, 145),
    Colour(2, 143, 149),
    Colour(37, 157, 149),
    Colour(57, 173, 147),
    Colour(84, 187, 143),
    Colour(114, 200, 136),
    Colour(145, 211, 126),
    Colour(177, 221, 113),
    Colour(211, 228, 99),
    Colour(245, 234, 85),
];

const DIVERGING: [Colour; 17] = [
    Colour(24, 89, 162),
    Colour(55, 108, 175),
    Colour(81, 128, 187),
    Colour(107, 147, 199),
    Colour(133, 167, 210),
    Colour(161, 186, 219),
    Colour(188, 206, 228),
    Colour(217, 225, 236),
    Colour(243, 242, 241),
    Colour(233, 218, 210),
    Colour(223, 195, 179),
    Colour(212, 172, 148),
    Colour(200, 149, 118),
    Colour(187, 126, 89),
    Colour(173, 104, 59),
    Colour(158, 81, 24),
    Colour(140, 66, 0),
];

impl ColourMap {
    /// The colour at a share from 0 to 1 of the way.
    pub fn at(self, share: f64) -> Colour {
        let points = match self {
            ColourMap::Sequential => &SEQUENTIAL,
            ColourMap::Diverging => &DIVERGING,
        };
        let last = points.len() - 1;
        // Not a number is drawn as nothing by those who ask; here it is the first colour.
        let along = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) * last as f64 };
        let first = (along as usize).min(last - 1);
        points[first].towards(points[first + 1], along - first as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// sRGB to Oklab, typed from the publication.
    fn oklab(colour: Colour) -> [f64; 3] {
        let [r, g, b] = [colour.0, colour.1, colour.2].map(|c| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
        let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
        let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
        [
            0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
            1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
            0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
        ]
    }

    fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn equal_steps_look_equal() {
        for map in [ColourMap::Sequential, ColourMap::Diverging] {
            let colours: Vec<[f64; 3]> = (0..=32).map(|i| oklab(map.at(f64::from(i) / 32.0))).collect();
            let steps: Vec<f64> = colours.windows(2).map(|w| distance(w[0], w[1])).collect();
            let mean = steps.iter().sum::<f64>() / 32.0;
            assert!(steps.iter().all(|s| (s / mean - 1.0).abs() < 0.3), "{map:?}: {steps:?}");
        }
    }

    #[test]
    fn lightness_tells_the_order_without_colour() {
        let light = |map: ColourMap, i: i32| oklab(map.at(f64::from(i) / 100.0))[0];
        assert!((0..100).all(|i| light(ColourMap::Sequential, i) < light(ColourMap::Sequential, i + 1) + 2e-3));
        assert!((0..50).all(|i| light(ColourMap::Diverging, i) < light(ColourMap::Diverging, i + 1) + 2e-3));
        assert!((50..100).all(|i| light(ColourMap::Diverging, i + 1) < light(ColourMap::Diverging, i) + 2e-3));
    }

    /// Viénot, Brettel and Mollon (1999): what is left of red and green for the two common kinds of colour blindness.
    #[test]
    fn the_sign_is_seen_with_colour_blindness() {
        let seen = |c: Colour, [red, green]: [f64; 2]| {
            let linear = [c.0, c.1, c.2].map(|v| (f64::from(v) / 255.0).powf(2.2));
            let one = red * linear[0] + green * linear[1];
            let back = |v: f64| (v.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0).round() as u8;
            Colour(back(one), back(one), back(linear[2]))
        };
        for kind in [[0.112_38, 0.887_62], [0.292_75, 0.707_25]] {
            for step in 3..=8 {
                let share = f64::from(step) / 16.0;
                let pair = [0.5 - share, 0.5 + share].map(|s| oklab(seen(ColourMap::Diverging.at(s), kind)));
                assert!(distance(pair[0], pair[1]) > 0.05, "{share} {kind:?}");
            }
        }
    }

    #[test]
    fn shares_outside_are_ends() {
        assert_eq!(ColourMap::Sequential.at(-3.0), ColourMap::Sequential.at(0.0));
        assert_eq!(ColourMap::Sequential.at(f64::NAN), ColourMap::Sequential.at(0.0));
        assert_eq!(ColourMap::Diverging.at(7.0), DIVERGING[16]);
    }
}
