import type { MatchModel } from './model.ts';

/**
 * Parameters estimated without labels from the public FEBRL data sets 1 and 2, by expectation maximisation over all pairs of a sample.
 * `scripts/calibrate-febrl.ts` gives nearly the same values. `prior` is chosen, not estimated.
 */
export const learnedModel: MatchModel = {
  claims: {
    givenName: {
      normalised: { m: 0.7872, u: 0.003759 },
      similar: { m: 0.1014, u: 0.001227 },
      shortened: { m: 0.0008977, u: 0.0003781 },
      close: { m: 0.006284, u: 0.002964 },
      near: { m: 0.006284, u: 0.001415 },
      different: { m: 0.09785, u: 0.9903 },
    },
    familyName: {
      normalised: { m: 0.7365, u: 0.002964 },
      similar: { m: 0.18, u: 0.0006286 },
      shortened: { m: 0.0008696, u: 0.0002003 },
      close: { m: 0.01826, u: 0.001147 },
      near: { m: 0.002609, u: 0.001107 },
      different: { m: 0.06174, u: 0.994 },
    },
    birthDate: {
      normalised: { m: 0.93, u: 3.145e-5 },
      similar: { m: 0.01221, u: 0.001052 },
      inverted: { m: 0.0008137, u: 8.345e-6 },
      close: { m: 0.007324, u: 0.01389 },
      different: { m: 0.04964, u: 0.985 },
    },
    streetAddress: {
      normalised: { m: 0.582, u: 1.041e-5 },
      similar: { m: 0.1577, u: 4.286e-6 },
      close: { m: 0.1764, u: 0.001253 },
      near: { m: 0.000777, u: 0.001501 },
      different: { m: 0.08314, u: 0.9972 },
    },
    postalCode: {
      normalised: { m: 0.8364, u: 0.00082 },
      similar: { m: 0.1512, u: 0.01263 },
      close: { m: 0.005427, u: 0.1082 },
      different: { m: 0.006977, u: 0.8783 },
    },
    locality: {
      normalised: { m: 0.7737, u: 0.001017 },
      similar: { m: 0.1554, u: 0.0002467 },
      close: { m: 0.01036, u: 0.0003317 },
      near: { m: 0.0007968, u: 0.002038 },
      different: { m: 0.05976, u: 0.9964 },
    },
    documentNumber: {
      normalised: { m: 0.9015, u: 6.087e-7 },
      similar: { m: 0.05349, u: 4.261e-6 },
      close: { m: 0.0007752, u: 0.0002271 },
      different: { m: 0.04419, u: 0.9998 },
    },
  },
  crossed: 0.08709,
  prior: 0.005,
};
