import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { calibrateModel, simulatedClaims } from '../identity/evaluation/calibrate-model.ts';
import { claimsInCommon, readPeople } from '../identity/import/people-file.ts';
import { shippedPolicies, standardPolicy3 } from '../identity/match/policy.ts';
import type { Clock } from '../kernel/clock.ts';
import { requireOtherFile, requireWritable, resolveReadableFile } from './argument-file.ts';
import { type Command, type ExitCode, type Terminal, wrongOption } from './command.ts';
import { readMapping } from './import-citizens.ts';
import { rowsProgress } from './progress.ts';

const notes = `The command learns the weight of each level of agreement in this register. It needs no labels, and it prints a policy as JSON.

Then measure the policy with "policies evaluate --policy FILE", and store it for the server with "policies add FILE".`;

const seed = 20_260_101;

/** Policies with a model: only these have weights to learn. */
const modelled = [...shippedPolicies.values()].filter(({ model }) => model !== undefined).map(({ name }) => name);

const options: Command['options'] = [
  { form: '--register R.csv', meaning: 'The records. Required.' },
  {
    form: '--claims C.csv',
    meaning: 'The claims of people, in any order.',
    defaultValue: 'claims that are simulated with the documented error model',
  },
  { form: '--name NAME', meaning: 'The name of the policy with its version, such as town-2026-1. Required.' },
  { form: '--out FILE', meaning: 'Writes the policy to this file.', defaultValue: 'standard output' },
  { form: '--columns MAP', meaning: 'The column of each claim in both files, in the form of "citizens import --map".' },
  {
    form: '--prior P',
    meaning: 'The probability that a compared record is the person, before any claim is compared.',
    defaultValue: '0.005',
  },
  { form: '--basis NAME', meaning: 'The built-in policy whose rules are kept.', defaultValue: standardPolicy3.name },
  { form: '--pairs N', meaning: 'The maximum number of pairs to compare.', defaultValue: '1000000' },
];

/** The command `policies calibrate`, which needs no database. */
export function calibrateCommands(terminal: Terminal, clock: Clock): readonly Command[] {
  return [
    {
      name: 'policies calibrate',
      usage:
        'policies calibrate --register R.csv [--claims C.csv] --name NAME [--out FILE] [--columns MAP] [--prior P] [--basis NAME] [--pairs N]',
      summary: 'Learns the weights of a matching policy from a register, without labels.',
      options,
      notes,
      example: 'policies calibrate --register people.csv --name town-2026-1 --out town.json',
      run: async (args) => await calibrate(args, terminal, clock),
    },
  ];
}

async function calibrate(args: readonly string[], terminal: Terminal, clock: Clock): Promise<ExitCode> {
  const { values } = parseArgs({
    args,
    options: {
      register: { type: 'string' },
      claims: { type: 'string' },
      name: { type: 'string' },
      out: { type: 'string' },
      columns: { type: 'string' },
      prior: { type: 'string', default: '0.005' },
      basis: { type: 'string', default: standardPolicy3.name },
      pairs: { type: 'string', default: '1000000' },
    },
  });
  if (values.register === undefined) throw wrongOption('--register', 'a CSV file', undefined);
  if (values.name === undefined || !/^[a-z0-9-]{3,60}$/.test(values.name)) {
    throw wrongOption('--name', '3 to 60 lowercase letters, digits and hyphens, such as town-2026-1', values.name);
  }
  const prior = Number(values.prior);
  if (!(prior > 0 && prior < 1)) throw wrongOption('--prior', 'a number between 0 and 1', values.prior);
  const maxPairs = Number(values.pairs);
  if (!Number.isSafeInteger(maxPairs) || maxPairs < 1000)
    throw wrongOption('--pairs', 'a whole number of at least 1000', values.pairs);
  const basis = shippedPolicies.get(values.basis);
  if (basis?.model === undefined) throw wrongOption('--basis', modelled.join(' or '), values.basis);
  const columns = await readMapping('--columns', values.columns, terminal.cwd);
  const read = [await resolveReadableFile(terminal.cwd, values.register)];
  if (values.claims !== undefined) read.push(await resolveReadableFile(terminal.cwd, values.claims));
  const out = values.out === undefined ? undefined : resolve(terminal.cwd, values.out);
  const map = values.columns === undefined ? [] : [resolve(terminal.cwd, values.columns)];
  if (out !== undefined) requireOtherFile('--out', out, [...read, ...map]);
  if (out !== undefined) requireWritable('--out', out);
  const [registerPath = '', claimsPath] = read;
  const registered = await readPeople(registerPath, columns);
  const claimed = claimsPath === undefined ? undefined : await readPeople(claimsPath, columns);
  claimsInCommon(registered, claimed ?? registered);
  const register = registered.people;
  const claims = claimed?.people ?? simulatedClaims(register, seed);
  const onProgress = rowsProgress(terminal, clock, claims.length);
  const model = calibrateModel([{ register, claims }], { maxPairs, prior, onProgress });
  const { threshold, bareThreshold } = basis;
  const policy = { name: values.name, basis: basis.name, threshold, bareThreshold, model };
  const text = `${JSON.stringify(policy, null, 2)}\n`;
  if (out === undefined) terminal.stdout(text);
  else writeFileSync(out, text);
  return 0;
}
