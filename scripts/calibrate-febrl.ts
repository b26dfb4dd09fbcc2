import { calibrateModel } from '../src/identity/evaluation/calibrate-model.ts';
import { readFebrlSet } from '../test/support/febrl-data.ts';

/**
 * Prints the model that `policies calibrate` estimates from FEBRL sets 1 and 2, as JSON. It uses no labels, and the prior is set by hand.
 * src/identity/match/learned-model.ts has an older model. It does not change, because published policies use it.
 */
const sets = ([1, 2] as const).flatMap((set) => readFebrlSet(set) ?? []);
if (sets.length === 0) {
  process.stderr.write('calibrate-febrl: expected FEBRL sets 1 and 2. Set TEST_DATA to their folder.\n');
  process.exitCode = 1;
} else {
  process.stdout.write(`${JSON.stringify(calibrateModel(sets, { maxPairs: 1_200_000, prior: 0.005 }), null, 2)}\n`);
}
