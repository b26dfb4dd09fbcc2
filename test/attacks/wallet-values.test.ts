import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttestedClaims } from '../../src/identity/verification/attested-claims.ts';
import { engines } from '../support/database-engines.ts';
import type { IdentityApp } from '../support/identity-app.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';
import { attestedClaims, presentClaims, walletPerson } from '../support/presentations.ts';

// Attack: a client, or somebody who reads the published ledger, wants to learn from a presentation whether a person is in the register,
// is locked, or who it is. And somebody who copies the database wants the values of the credential.

const people = [
  { citizenId: 'A', ...walletPerson },
  { citizenId: 'L', ...walletPerson, givenName: 'Lina', locked: 'yes' },
];
const link = { issuingCountry: 'ES', administrativeNumber: 'NIE-X1234567L', consented: true };
const locked = { ...walletPerson, givenName: 'Lina' };
const unknown = { ...walletPerson, givenName: 'Vera' };

/** The visible parts of a presentation, for its client and for a reader of the ledger, without random ones. */
async function seenOf(app: IdentityApp, attested: AttestedClaims) {
  const before = (await app.seen()).length;
  const pads: string[] = [];
  const { result, effect } = await presentClaims(app, attested, {
    startResponsePadding: () => {
      pads.push('started');
      return async () => {
        pads.push('padded');
      };
    },
    mayReadClaims: () => true,
  });
  const { verificationId: _, receipt: __, token, ...members } = result;
  const { payload } = await app.openToken(token);
  const { jti: ___, ...tokenMembers } = payload;
  const statements = effect.statements.map(({ sql }) => sql);
  const size = JSON.stringify(result).length;
  return { members, tokenMembers, size, pads, statements, entries: (await app.seen()).slice(before) };
}

for (const engine of engines) {
  test(`${engine.name}: right values of a locked citizen are answered as those of nobody, and leave the same entries`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const ofNobody = await seenOf(app, attestedClaims(unknown, { link }));
    assert.equal(ofNobody.members.decision, 'no_match');
    assert.deepEqual(ofNobody.pads, ['started', 'padded']);
    assert.deepEqual(await seenOf(app, attestedClaims(locked, { link })), ofNobody);
    const expecting = { link, expectedCitizenId: 'L' };
    assert.deepEqual(
      await seenOf(app, attestedClaims(walletPerson, expecting)),
      await seenOf(app, attestedClaims(unknown, expecting)),
    );
  });

  test(`${engine.name}: a match with consent has the entries of a refusal with consent`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const matched = await seenOf(app, attestedClaims(walletPerson, { link }));
    assert.equal(matched.members.decision, 'match');
    const otherLink = { ...link, administrativeNumber: 'NIE-Y7654321L' };
    const refused = await seenOf(app, attestedClaims(unknown, { link: otherLink }));
    assert.equal(refused.members.decision, 'no_match');
    assert.deepEqual(matched.entries, refused.entries);
    const again = await seenOf(app, attestedClaims(walletPerson, { link }));
    assert.deepEqual(again.entries, matched.entries);
  });

  test(`${engine.name}: no result, token, row or ledger entry of a presentation has an attested value`, async (t) => {
    const values = { ...walletPerson, birthPlace: 'Villanueva-Attested', documentNumber: 'DOC-77-ATTESTED' };
    const app = await openIdentityAppWith(t, engine, [{ citizenId: 'A', ...values }]);
    const { result } = await presentClaims(app, attestedClaims(values, { link }), { mayReadClaims: () => true });
    assert.equal(result.decision, 'match');
    // The number is the citizen id, but no citizen of the register has it.
    const unregistered = await presentClaims(
      app,
      attestedClaims(values, { link, isAdministrativeNumberCitizenId: true }),
    );
    assert.equal(unregistered.result.decision, 'no_match');
    const { payload } = await app.openToken(result.token);
    const stored = await Promise.all(
      ['verification', 'wallet_link', 'verification_limit', 'ledger_event'].map(
        async (table) => await app.db.read(`select * from ${table}`, []),
      ),
    );
    const presentEvents = [...(await app.events('A')), ...(await app.events())].filter(({ type }) =>
      /^identity|^wallet/.test(String(type)),
    );
    assert.equal(presentEvents.length, 4);
    const results = [result, unregistered.result];
    const everything = JSON.stringify([results, payload, presentEvents, stored.flat().map(clearText)]);
    for (const value of [...Object.values(values).filter((one) => one !== 'ES'), link.administrativeNumber])
      assert.equal(everything.includes(value), false, value);
  });
}

/** The columns of a row as text; also the bytes, which may be text. */
function clearText(row: Readonly<Record<string, unknown>>): unknown[] {
  return Object.values(row).map((value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : `${value}`,
  );
}
