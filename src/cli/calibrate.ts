import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { calibrateModel, simulatedClaims } from '../identity/evaluation/calibrate-model.ts';
import { claimsInCommon, readPeople } from '../identity/import/people-file.ts';
import { shippedPolicies, standardPolicy3 } from '../identity/match/policy.ts';
import type { Clock } from '../kernel/clock.ts';
import { requireOtherFile, requireWritable, resolveReadableFile } from './argument-file.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { readMapping } from './import-citizens.ts';
import { rowsProgress } from './progress.ts';

const details = `Learns, without labels, how much each level of agreement weighs in this register, and prints a policy as JSON:
evaluate --policy FILE measures it, policies add FILE stores it for the server.

  --register R.csv  The records.
  --claims C.csv    What persons claimed, in any order; without it claims are simulated by the documented error model.
  --name NAME       The name of the policy with its version, such as town-2026-1.
  --out FILE        Writes the policy to this file instead of standard output.
  --columns MAP     Which column is which claim, in both files, as for import citizens.
  --prior P         The chance that a compared record is the person, before a claim is looked at; default 0.005.
  --basis NAME      The policy that ships whose rules are kept; default ${standardPolicy3.name}.
  --pairs N         The most pairs that are compared; default 1000000.`;

const seed = 20_260_101;

/** Policies with a model: only these have weights to learn. */
const modelled = [...shippedPolicies.values()].filter(({ model }) => model !== undefined).map(({ name }) => name);

/** The command `calibrate`, which needs no database. */
export function calibrateCommands(terminal: Terminal, clock: Clock): readonly Command[] {
  return [
    {
      name: 'calibrate',
      usage:
        'calibrate --register R.csv [--claims C.csv] --name NAME [--out FILE] [--columns MAP] [--prior P] [--basis NAME] [--pairs N]',
      summary: 'Learns the weights of the matcher from a register, without labels.',
      details,
      run: async (args) => {
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
        if (values.register === undefined) throw new UsageError('--register names a file.');
        if (values.name === undefined || !/^[a-z0-9-]{3,60}$/.test(values.name)) {
          throw new UsageError('--name takes 3 to 60 small letters, digits and hyphens, as town-2026-1.');
        }
        const prior = Number(values.prior);
        if (!(prior > 0 && prior < 1)) throw new UsageError('--prior takes a number between 0 and 1.');
        const maxPairs = Number(values.pairs);
        if (!Number.isSafeInteger(maxPairs) || maxPairs < 1000) throw new UsageError('--pairs takes 1000 or more.');
        const basis = shippedPolicies.get(values.basis);
        if (basis?.model === undefined) throw new UsageError(`--basis takes ${modelled.join(' or ')}.`);
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
      },
    },
  ];
}
