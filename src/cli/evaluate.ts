import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { evaluatePolicy, type LabelledPair, type PairCounts } from '../identity/evaluation/evaluate-policy.ts';
import {
  CsvTableFault,
  claimsInCommon,
  type PeopleFile,
  readCsvTable,
  readPeople,
  requireColumns,
} from '../identity/import/people-file.ts';
import { type MatchPolicy, shippedPolicies, standardPolicy3 } from '../identity/match/policy.ts';
import { toStoredText } from '../identity/names/normalise.ts';
import { parseMatchPolicy } from '../identity/policies/policy-file.ts';
import { dateExists } from '../identity/register/birth-date.ts';
import type { ClaimName } from '../identity/register/claims.ts';
import { type Clock, formatInstant } from '../kernel/clock.ts';
import { readArgumentFile, resolveReadableFile } from './argument-file.ts';
import { type Command, type Terminal, UsageError, wrongOption } from './command.ts';
import { readMapping } from './import-citizens.ts';
import { rowsProgress } from './progress.ts';

const options: Command['options'] = [
  { form: '--register R.csv', meaning: 'The records of the register. The column citizenId has their ids. Required.' },
  { form: '--claims C.csv', meaning: 'The claims of people. The column citizenId has the id of the claim. Required.' },
  {
    form: '--pairs P.csv',
    meaning:
      'The pairs, with the columns claim, record and same. same is 1, true or yes for one person, and 0, false or no for two. Required.',
  },
  {
    form: '--use A,B',
    meaning:
      'The claims to compare. Add citizenId to decide each claim as if it stated the id of the record: a policy can have stricter rules for that.',
    defaultValue: 'all claims that both files have',
  },
  {
    form: '--policy NAME',
    meaning: `${[...shippedPolicies.keys()].join(', ')}, or a file from "policies calibrate".`,
    defaultValue: standardPolicy3.name,
  },
  { form: '--columns MAP', meaning: 'The column of each claim in both files, in the form of "citizens import --map".' },
  {
    form: '--by COLUMN',
    meaning:
      'Also counts the pairs of each value of this column of the claims file, for example the origin of the people. The result has them as groups, and standard error shows a line for each group.',
  },
  {
    form: '--today DATE',
    meaning: 'The day of the claims, YYYY-MM-DD, on which former values may have expired.',
    defaultValue: 'today',
  },
  { form: '--json', meaning: 'Accepted like in other commands. The result is always JSON.' },
];

const notes = `Each pair has a claim, a record, and whether both are of the same person. The command decides each pair like a verification with the id of the record, and counts the matches. It prints the result as JSON on standard output.

If you compare addresses or document numbers, a tolerant policy is measured without its minimum of claims: the server would refuse some of these claims. The columns formerNames, formerAddresses, underReview, locked and deceased of the register count as on the server.`;

/** The command `policies evaluate`; `stopwatch` returns processor time in milliseconds. */
export function evaluateCommands(terminal: Terminal, clock: Clock, stopwatch: () => number): readonly Command[] {
  return [
    {
      name: 'policies evaluate',
      usage:
        'policies evaluate --register R.csv --claims C.csv --pairs P.csv [--use A,B] [--policy NAME] [--columns MAP] [--by COLUMN] [--today DATE] [--json]',
      summary: 'Measures a matching policy on labelled pairs of claims and records.',
      options,
      notes,
      example: 'policies evaluate --register people.csv --claims claims.csv --pairs pairs.csv',
      run: async (args) => {
        const { values } = parseArgs({
          args,
          options: {
            register: { type: 'string' },
            claims: { type: 'string' },
            pairs: { type: 'string' },
            use: { type: 'string' },
            policy: { type: 'string' },
            columns: { type: 'string' },
            by: { type: 'string' },
            today: { type: 'string' },
            json: { type: 'boolean' },
          },
        });
        const path = async (name: 'register' | 'claims' | 'pairs') => {
          const file = values[name];
          if (file === undefined) throw wrongOption(`--${name}`, 'a CSV file', undefined);
          return await resolveReadableFile(terminal.cwd, file);
        };
        const columns = await readMapping('--columns', values.columns, terminal.cwd);
        const register = await readPeople(await path('register'), columns);
        const claimsPath = await path('claims');
        const claims = await readPeople(claimsPath, columns);
        const evaluation = {
          register: register.people,
          claims: claims.people,
          use: readUse(values.use, claimsInCommon(register, claims)),
          policy: await readPolicy(values.policy, terminal.cwd),
          extras: { values: register.extras, today: readToday(values.today, clock) },
          ...(values.by === undefined ? {} : { groupOf: await readGroups(claimsPath, claims, values.by) }),
          stopwatch,
        };
        const pairs = await readPairs(await path('pairs'), claims, register);
        const result = evaluatePolicy(
          { ...evaluation, onProgress: rowsProgress(terminal, clock, pairs.length) },
          pairs,
        );
        terminal.stdout(`${JSON.stringify(result)}\n`);
        for (const [group, counts] of Object.entries(result.groups ?? {})) terminal.stderr(groupLine(group, counts));
        return 0;
      },
    },
  ];
}

/** The value of a column for the id of each claim. */
async function readGroups(path: string, claims: PeopleFile, column: string): Promise<(claim: string) => string> {
  const { header, rows } = await readCsvTable(path);
  requireColumns(path, header, [column]);
  const groups = new Map(
    claims.people.map(({ citizenId }, at) => [citizenId, toStoredText(rows[at]?.cells(column) ?? '')]),
  );
  return (claim) => groups.get(claim) ?? '';
}

function groupLine(group: string, { truePairs, accepted, falsePairs, falseMatches }: PairCounts): string {
  const share = truePairs === 0 ? '' : ` (${((100 * accepted) / truePairs).toFixed(1)} %)`;
  return `${group}: accepted ${accepted} of ${truePairs}${share}, false matches ${falseMatches} of ${falsePairs}\n`;
}

function readUse(text: string | undefined, usable: readonly ClaimName[]): readonly ClaimName[] {
  if (text === undefined) return usable;
  const known: readonly ClaimName[] = ['citizenId', ...usable];
  return text.split(',').map((written) => {
    const found = known.find((claim) => claim === written.trim());
    if (found === undefined)
      throw wrongOption('--use', `claims that both files have (${known.join(', ')})`, written.trim());
    return found;
  });
}

function readToday(text: string | undefined, clock: Clock): string {
  if (text === undefined) return formatInstant(clock.now()).slice(0, 10);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || !dateExists(text))
    throw wrongOption('--today', 'a day such as 2026-11-20', text);
  return text;
}

async function readPolicy(name: string | undefined, cwd: string): Promise<MatchPolicy> {
  if (name === undefined) return standardPolicy3;
  const policy = shippedPolicies.get(name);
  if (policy !== undefined) return policy;
  if (!existsSync(resolve(cwd, name)))
    throw wrongOption(
      '--policy',
      `${[...shippedPolicies.keys()].join(', ')}, or a file from "policies calibrate"`,
      name,
    );
  const read = parseMatchPolicy(await readArgumentFile(cwd, name));
  if ('fault' in read)
    throw new UsageError(`--policy: expected a policy in ${name}, received another content: ${read.fault}.`);
  return read.policy;
}

const sameLabel = /^(1|1\.0|true|t|yes|y|same)$/i;
const differentLabel = /^(0|0\.0|false|f|no|n|different)$/i;

/** The labelled pairs. Throws for a pair whose claim or record is missing in the other files: it would distort the result. */
async function readPairs(path: string, claims: PeopleFile, register: PeopleFile): Promise<LabelledPair[]> {
  const { header, rows } = await readCsvTable(path);
  requireColumns(path, header, ['claim', 'record', 'same']);
  const claimIds = new Set(claims.people.map(({ citizenId }) => citizenId));
  const recordIds = new Set(register.people.map(({ citizenId }) => citizenId));
  const rowFaults: string[] = [];
  const labels = new Map<string, boolean>();
  const pairs = rows.map(({ cells, place }) => {
    // Trimmed like the ids of the other files.
    const [claim, record, same] = [toStoredText(cells('claim')), toStoredText(cells('record')), cells('same')];
    const pair = { claim, record, same: sameLabel.test(same) };
    const key = `${claim}\n${record}`;
    if (!sameLabel.test(same) && !differentLabel.test(same))
      rowFaults.push(`${place}: expected 1, true, yes, 0, false or no in the column same`);
    else if (!claimIds.has(claim))
      rowFaults.push(`${place}: the claims file does not have the citizenId in the column claim`);
    else if (!recordIds.has(record))
      rowFaults.push(`${place}: the register file does not have the citizenId in the column record`);
    else if (labels.get(key) === !pair.same)
      rowFaults.push(`${place}: an earlier row has the same pair with another value in the column same`);
    else labels.set(key, pair.same);
    return pair;
  });
  if (rowFaults.length > 0)
    throw new CsvTableFault(`${rowFaults[0]}; ${rowFaults.length} of ${rows.length} rows cannot be counted`);
  return pairs;
}
