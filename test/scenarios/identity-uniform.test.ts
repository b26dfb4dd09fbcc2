import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { standardPolicy2 } from '../../src/identity/match/policy.ts';
import { createPace } from '../../src/identity/pace.ts';
import { systemTimer } from '../../src/jobs/timer.ts';
import { engines } from '../engines.ts';
import { openIdentityHouse } from '../identity-house.ts';
import { temporaryFolder } from '../identity-people.ts';
import { sameDistribution } from '../two-samples.ts';

/** How many answers of each kind are compared: UNIFORM_ANSWERS=2000 for the whole test, which takes minutes. */
const each = Number(process.env['UNIFORM_ANSWERS'] ?? '150');
const quantumMs = 5;
const spentCitizens = 10;

const scopes = ['identity:verify', 'identity:verify:claims'];
const born = '1980-02-07';

function citizens(): object[] {
  return Array.from({ length: each + spentCitizens }, (_, at) => ({
    citizenId: at < each ? `K-${at + 1000}` : `S-${at - each + 1000}`,
    givenName: `Zoë ${String.fromCharCode(97 + (at % 26))}`,
    familyName: `Müller ${String.fromCharCode(97 + (Math.floor(at / 26) % 26))}`,
    birthDate: born,
  }));
}

/** What must be the same of every answer without a match: all but ids and times, of which the lengths. */
function bare(answered: { readonly status: number; readonly headers: object; readonly json: object }): string {
  const json = Object.entries(answered.json).map(([name, value]) => {
    const fresh = ['verificationId', 'receipt', 'token', 'requestHash'].includes(name);
    return fresh ? [name, String(value).length] : [name, value];
  });
  return JSON.stringify([answered.status, answered.headers, json, JSON.stringify(answered.json).length]);
}

for (const engine of engines) {
  test(`${engine.name}: unknown, mismatch and over budget cannot be told apart by bytes or time`, async (t) => {
    const house = await openIdentityHouse(t, engine);
    const path = join(temporaryFolder(t), 'people.jsonl');
    writeFileSync(
      path,
      citizens()
        .map((citizen) => JSON.stringify(citizen))
        .join('\n'),
    );
    await house.importFile({
      path,
      format: 'jsonl',
      mapping: Object.fromEntries(columns.map((c) => [c, { columns: [c] }])),
    });
    const over = {
      policyOf: () => standardPolicy2,
      pace: createPace(quantumMs, () => performance.now(), systemTimer),
    };
    const wrong = { givenName: 'Ana', familyName: 'Silva', birthDate: '1990-11-30' };
    for (let guess = 0; guess < 5; guess += 1) {
      for (let at = 0; at < spentCitizens; at += 1) {
        await house.ask('POST', { ...wrong, citizenId: `S-${1000 + at}`, birthDate: `1990-01-1${guess}` });
      }
    }
    const kinds: Readonly<Record<string, (at: number) => string>> = {
      unknown: (at) => `U-${1000 + at}`,
      mismatch: (at) => `K-${1000 + at}`,
      'over budget': (at) => `S-${1000 + (at % spentCitizens)}`,
    };
    const times = new Map(Object.keys(kinds).map((kind) => [kind, [] as number[]]));
    const answers = new Map(Object.keys(kinds).map((kind) => [kind, new Set<string>()]));
    for (let at = 0; at < each; at += 1) {
      // The order changes, so that no kind always follows the same one.
      const order = Object.keys(kinds).map((_, place, all) => all[(place + at) % all.length] ?? '');
      for (const kind of order) {
        const startedAt = performance.now();
        const answered = await house.ask('POST', { ...wrong, citizenId: kinds[kind]?.(at) }, { scopes }, over);
        times.get(kind)?.push(performance.now() - startedAt);
        if ('refusal' in answered) throw new Error(answered.refusal.slug);
        answers.get(kind)?.add(bare(answered));
      }
    }
    const all = new Set([...answers.values()].flatMap((found) => [...found]));
    assert.equal(all.size, 1, [...all].join('\n'));
    for (const [one, other] of [
      ['unknown', 'mismatch'],
      ['mismatch', 'over budget'],
      ['unknown', 'over budget'],
    ] as const) {
      const chance = sameDistribution(times.get(one) ?? [], times.get(other) ?? []);
      t.diagnostic(`${one} / ${other}: p = ${chance.toFixed(3)}, ${each} answers each`);
      assert.ok(chance > 0.01, `${one} and ${other} differ in time: p = ${chance}`);
    }
  });
}

const columns = ['citizenId', 'givenName', 'familyName', 'birthDate'];
