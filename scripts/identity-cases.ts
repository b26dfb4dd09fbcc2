import { parseArgs } from 'node:util';
import { shippedPolicies } from '../src/identity/match/policy.ts';
import {
  type DecidedCase,
  decideCases,
  defaultMatchPolicy,
  readIdentityCases,
} from '../test/support/identity-cases.ts';
import { testDataSkipReason } from '../test/support/test-data.ts';

/**
 * Reports how many public cases the server decides like an official:
 *   TEST_DATA=FOLDER node scripts/identity-cases.ts [--policy NAME] [--by-kind] [--kind KIND] [--list] [--strict]
 * --kind counts only cases of one kind, --by-kind prints a line for each kind, --list prints the cases that are decided otherwise.
 * With --strict the twins, relatives and namesakes who claim to be the person are not in the register.
 */
const { values } = parseArgs({
  options: {
    policy: { type: 'string' },
    kind: { type: 'string' },
    'by-kind': { type: 'boolean' },
    list: { type: 'boolean' },
    strict: { type: 'boolean' },
  },
});
const policy = values.policy === undefined ? defaultMatchPolicy : shippedPolicies.get(values.policy);
const cases = readIdentityCases();
if (policy === undefined) fail(`expected a policy of ${[...shippedPolicies.keys()].join(', ')}`);
else if (cases === undefined) fail(testDataSkipReason);
else {
  const decided = await decideCases(cases, policy, values.strict === true ? 'unknown' : 'registered');
  report(decided.filter(({ kind }) => values.kind === undefined || kind === values.kind));
}

function fail(message: string): void {
  process.stderr.write(`identity-cases: ${message}\n`);
  process.exitCode = 2;
}

function report(decided: readonly DecidedCase[]): void {
  print(line('all', decided));
  print(
    line(
      'without O',
      decided.filter(({ expect }) => expect !== 'O'),
    ),
  );
  for (const [expect, group] of Map.groupBy(decided, (one) => one.expect)) print(line(`expected ${expect}`, group));
  if (values['by-kind'] === true)
    for (const [kind, group] of Map.groupBy(decided, (one) => one.kind)) print(line(kind, group));
  if (values.list === true) for (const one of decided.filter(({ isRight }) => !isRight)) print(describe(one));
}

function line(label: string, group: readonly DecidedCase[]): string {
  const right = group.filter(({ isRight }) => isRight).length;
  return `${label}: ${right} of ${group.length}, ${((100 * right) / group.length).toFixed(1)} %`;
}

/** The case in one line, with only the values that differ. */
function describe({ id, kind, expect, note, register, claim, decision }: DecidedCase): string {
  const differing = Object.entries({ ...register, ...claim })
    .map(([name]) => name as keyof typeof claim)
    .filter((name) => register[name] !== claim[name])
    .map((name) => `${name} ${JSON.stringify(register[name])} <- ${JSON.stringify(claim[name])}`);
  return `${id} ${kind}, expected ${expect}, decided ${decision}: ${differing.join(', ')}${note === undefined ? '' : ` (${note})`}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
