import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Evaluation, evaluatePolicy } from '../src/identity/evaluation/evaluate-policy.ts';
import {
  calibratedPolicy,
  euPolicy,
  type MatchPolicy,
  standardPolicy,
  standardPolicy2,
} from '../src/identity/match/policy.ts';
import type { ClaimName } from '../src/identity/register/claims.ts';
import { type FebrlSet, readFebrlSet } from '../test/support/febrl-data.ts';
import { makeSimilarPeople } from '../test/support/similar-people.ts';

/**
 * Writes docs/accuracy.md from the public sets, found as the tests find them; with --check says whether the page is stale.
 *   TEST_DATA=FOLDER node scripts/accuracy.ts [--check]
 */
const page = join(import.meta.dirname, '../docs/accuracy.md');
const names: readonly ClaimName[] = ['givenName', 'familyName', 'birthDate'];
const withAddress: readonly ClaimName[] = [...names, 'streetAddress', 'postalCode', 'locality'];
const policies = [calibratedPolicy, standardPolicy2, standardPolicy, euPolicy];

type AccuracyCase = {
  readonly set: string;
  readonly claims: string;
  readonly result: Evaluation;
  readonly matchedByServer: number;
};

function measureAll(): AccuracyCase[] | undefined {
  const cases: AccuracyCase[] = [];
  for (const set of [1, 2, 3] as const) {
    const febrl = readFebrlSet(set);
    if (febrl === undefined) return undefined;
    for (const use of [names, withAddress]) {
      for (const policy of set === 3 ? policies : [calibratedPolicy]) {
        cases.push({ set: `FEBRL ${set} (${set === 3 ? 'test' : 'training'})`, ...measureCase(febrl, use, policy) });
      }
    }
  }
  const twins = makeSimilarPeople();
  for (const use of [names, withAddress]) {
    for (const policy of policies) {
      cases.push({ set: 'Twins and namesakes', ...measureCase(twins, use, policy) });
    }
  }
  return cases;
}

/** One set, as the command measures it, and those of its true pairs that the server would match. */
function measureCase(set: FebrlSet, use: readonly ClaimName[], policy: MatchPolicy): Omit<AccuracyCase, 'set'> {
  const options = { ...set, use, policy };
  const result = evaluatePolicy(options, set.pairs);
  const own = set.pairs.filter(({ same }) => same);
  return { claims: label(use), result, matchedByServer: evaluatePolicy({ ...options, minimum: true }, own).accepted };
}

function label(use: readonly ClaimName[]): string {
  return use === names ? 'names, birth date' : 'and address';
}

function rowOf({ set, claims, result, matchedByServer }: AccuracyCase): string {
  const { policy, truePairs, accepted, falsePairs, falseMatches, bestF1 } = result;
  const share = ((100 * accepted) / truePairs).toFixed(1);
  const f1 = policy === calibratedPolicy.name ? bestF1.toFixed(4) : '';
  const answered = ((100 * matchedByServer) / truePairs).toFixed(1);
  return `| ${set} | ${policy} | ${claims} | ${share} % of ${truePairs} | ${answered} % | ${falseMatches} of ${falsePairs} | ${f1} |`;
}

function textOf(cases: readonly AccuracyCase[]): string {
  return `# Accuracy of the matcher

Made by \`scripts/accuracy.ts\`; do not edit. Each claim is compared with the record that its pair names, by the policy and the
search for rivals that the server uses. "True accepted" is the share of true pairs that match; "false" are the pairs of two
persons that match. Without an address the minimum of claims that agree is demanded, as the server does, and by policies without
a tolerance always; of the tolerant one with address the comparison is measured without it, as the command \`evaluate\` does. The server
answers \`insufficient-claims\` below the minimum and never matches there: "as the server answers" is the share of true pairs that
match with it. Impostors are hard ones: they
share a blocking key with the person (both names in any order, birth date, number, state and street, house and street, or
postcode).

Weights were learned without labels from FEBRL sets 1 and 2, each pair for itself; \`calibrate\` now takes the pairs of a claim
together and learns much the same of these sets (\`scripts/calibrate-febrl.ts\`). The prior is ${calibratedPolicy.model?.prior}. The threshold is a probability of ${calibratedPolicy.threshold}. Beside anyone else of the register the person is left as much, ${calibratedPolicy.rivalThreshold}
where neither an address nor a document number agrees. Unless one of them agrees, two of names and date have to. Whether a
misspelt name is that of others, and what the register lacks of a rival, weigh by shares that were set by hand and rounded: they
are not learned from the sets.

**What was looked at when.** The first threshold was chosen on sets 1 and 2, for no false match among their impostors; with it
alone, set 3 was then measured for the first time: 92.6 % with names and birth date, 99.9 % with address, no false match.
(Set 3 had been looked at once before, with a prior of 0.002.) The second was chosen with all three sets in sight, and with registers
made up after the documented error model of FEBRL with other names: set 3 is no longer unseen, a set that this repository does not
hold has to tell. An earlier version asked for 0.999 of strangers as well, one before it for 0.998 and 0.9998.

That threshold kept nobody out where the claimant's own record is in the register: the rivals do. It was lowered by what eleven
registers of that kind showed (1,500 to 10,000 persons, names skewed or alike, more errors or fewer, slips of typing, reading
and hearing, households with twins; 263,000 hard impostors), and then seven more were opened, once, with 212,000: of 31,000 true
pairs 86.2 % are accepted by names and date, before 81.3 %, and 99.6 % with address, as before; each time with one false match,
as before. The four with the error rates of the public sets and no households have 87.6 to 92.0 %, before 83.6 to 88.6 %, and
99.90 to 99.96 % with address. Where half of the persons are taken out of five registers, so that nobody's own record stands
beside that of an impostor, six of 39,000 pairs are false matches by names and date, before three. Where two of five households
had twins, parents or namesakes in the register, two registers had 86.7 % with ten false matches in 54,000 pairs, and 95.5 % with
seven; before 83.7 % and 95.5 % with as many: most of them are twins to whom chance gave one name.

The figures above count names without a birth date. On fifteen further registers, opened once behind
these choices (5,000 persons, one of 10,000; names of the public sets in eight, others in seven; a third with more slips of hearing and reading; 500,000
hard impostors), four of six false matches by names and date were two names without a date, which the server never matches. Since then
they count as no match: two are left, and 82.9 to 86.0 % of the true pairs in place of 84.6 to 88.4 %; there are more errors in these registers than in the
public sets. With address there was no false match, and 99.70 to 99.95 % were accepted.

The persons are invented; their data are noisier than what people submit, and set 3 holds almost no twins: those are a set of
their own (\`scripts/similar-people.ts\`), where each person also claims with a slip of the pen, and most of them are so left open.

| Set | Policy | Claims | True accepted | As the server answers | False | Best F1 |
|---|---|---|---|---|---|---|
${cases.map(rowOf).join('\n')}

## Beside published rules

On set 3 with names and birth date, as measured for this project with the same pairs:

| Rule | True accepted | False of 5,925 |
|---|---|---|
${published.map((row) => `| ${row.join(' | ')} |`).join('\n')}

The rivals matter: whoever fits about as well as the person turns a match into \`not_determined\`. A rule that looks at one
record alone cannot do that, so part of the distance to the rules above comes from knowing the whole register, as the
server does.
`;
}

const published = [
  ['names and birth date exact after normalisation (IT-Wallet, EU 2025/846)', '41.1 %', '0'],
  ['MOSIP demosdk, exact tokens and birth date', '46.3 %', '0'],
  ['each name Jaro-Winkler >= .85, birth date exact', '65.4 %', '0'],
  ['SSA eCBSV as described', '66.9 %', '1'],
  ['EU 2023/333 similar names and birth date', '72.6 %', '0'],
  ['Splink, p >= 0.99', '73.7 %', '0'],
  ['MOSIP PARTIAL >= 33', '82.1 %', '0'],
  ['Splink, threshold chosen afterwards for no false match', '86.8 %', '0'],
  ['Splink with address, p >= 0.99', '99.7 %', '0'],
] as const;

const accuracyCases = measureAll();
if (accuracyCases === undefined) {
  process.stderr.write('accuracy: the public sets are not there (TEST_DATA), so docs/accuracy.md is not checked\n');
} else if (process.argv.includes('--check')) {
  const fresh = readFileSync(page, 'utf8') === textOf(accuracyCases);
  process.stderr.write(
    fresh ? 'accuracy: the page is up to date\n' : 'accuracy: stale; run node scripts/accuracy.ts\n',
  );
  process.exitCode = fresh ? 0 : 1;
} else {
  writeFileSync(page, textOf(accuracyCases));
  process.stderr.write('accuracy: written\n');
}
