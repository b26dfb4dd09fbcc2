import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concealEffect, parseConcealment } from '../../src/api/concealed-access.ts';
import { readAccessLog } from '../../src/audit/access-log.ts';
import { createEndpointRegisterProver } from '../../src/audit/endpoint-register-proof.ts';
import { placeHold } from '../../src/documents/retention/legal-hold.ts';
import { eraseCitizen } from '../../src/ledger/erase-citizen.ts';
import { openEntryContent, parseReceiptExtra, type ReceiptExtra } from '../../src/ledger/receipt-extra.ts';
import { leafHash } from '../../src/ledger/tlog/merkle.ts';
import { parseProof, verifyProof } from '../../src/ledger/tlog/tlog-proof.ts';
import { verifyChain } from '../../src/ledger/verify-chain.ts';
import { verifyLog } from '../../src/ledger/verify-log.ts';
import { engines } from '../support/database-engines.ts';
import { buildLedgerApp, logKeyPolicy } from '../support/ledger-app.ts';

const organisationOf = (clientId: string) => (clientId === 'tax' ? 'Tax Office' : clientId);
/** The uses here are not verifications. */
const reporters = { organisationOf, explanationOf: async () => assert.fail('nothing to explain') };
const day = 86_400_000;

/** Verifies a proof with the public key alone, and returns its opened entry. */
function verified(text: string): ReceiptExtra {
  const proof = parseProof(text);
  const opening = parseReceiptExtra(proof?.extra ?? new Uint8Array());
  assert.ok(proof !== undefined && opening !== undefined);
  assert.ok('checkpoint' in verifyProof(proof, leafHash(opening.entry), logKeyPolicy));
  return opening;
}

for (const engine of engines) {
  test(`${engine.name}: a citizen sees each use in order with organisation, purpose and proof, and a gap is detected`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    await app.use('anna', 'bert', 'anna', undefined, 'anna', 'anna');
    await app.sequence();
    const parts = { ...app, log: app.view, ...reporters };
    const first = await readAccessLog(parts, 'anna', { after: 0, limit: 3, now: app.time.now });
    const rest = await readAccessLog(parts, 'anna', { after: 3, limit: 3, now: app.time.now });
    assert.equal(first.totalUsages, 4);
    const usages = [...first.usages, ...rest.usages];
    assert.deepEqual(
      usages.map(({ number }) => number),
      [1, 2, 3, 4],
    );
    const { number, logTime, queryId, proof, ...usage } = usages[0] ?? assert.fail();
    assert.deepEqual(usage, {
      state: 'shown',
      processingType: 'DATA_RESPONSE',
      usage: 'document.listed',
      purpose: 'test',
      initiatorOrg: { type: 'GOV', code: 'tax', name: 'Tax Office' },
      logSourceSystem: 'citizen-services',
      bulkProcessing: false,
      details: { documents: [] },
    });
    const leaves = usages.map((usage) => verified(usage.proof).entry);
    const keys = { chain: Buffer.from(first.chain, 'base64'), linkKey: Buffer.from(first.linkKey, 'base64') };
    assert.equal(verifyChain({ ...keys, leaves }), undefined);
    for (let gap = 0; gap < 3; gap += 1)
      assert.match(verifyChain({ ...keys, leaves: leaves.toSpliced(gap, 1) }) ?? '', /left out/);
    assert.match(verifyChain({ ...keys, leaves: leaves.toReversed() }) ?? '', /entry 1 /);
  });

  test(`${engine.name}: the chain of a citizen includes events from before the import, and continues after an erasure`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const comes = async () => {
      await app.db.write(app.citizenKeys.creationStatements(['anna']));
      await app.use('anna', 'anna');
      await app.sequence();
      app.time.now += 120_000;
    };
    const chained = async () => {
      const part = { after: 0, limit: 9, now: app.time.now };
      const { usages, ...log } = await readAccessLog({ ...app, log: app.view, ...reporters }, 'anna', part);
      const bytes = (text: string) => Buffer.from(text, 'base64');
      const leaves = usages.map((usage) => verified(usage.proof).entry);
      const keys = { linkKey: bytes(log.linkKey), earlierLinkKey: bytes(log.earlierLinkKey) };
      return { states: usages.map(({ state }) => state).join(' '), chain: bytes(log.chain), ...keys, leaves };
    };
    await app.use('anna');
    await app.sequence();
    app.time.now += 120_000;
    await comes();
    const { states, ...handed } = await chained();
    assert.equal(states, 'shown shown shown');
    assert.equal(verifyChain(handed), undefined);
    assert.match(verifyChain({ ...handed, leaves: handed.leaves.slice(1) }) ?? '', /left out/);

    await eraseCitizen({ ...app, read: app.db.read, actor: { operator: 'clerk' } }, 'anna');
    await comes();
    const { states: then, ...renewed } = await chained();
    assert.equal(then, 'erased erased erased shown shown');
    const from = { number: 4, previous: leafHash(renewed.leaves[2] ?? assert.fail()) };
    assert.equal(verifyChain({ ...renewed, from, leaves: renewed.leaves.slice(3) }), undefined);
  });

  test(`${engine.name}: a citizen can read that a legal hold was placed and why, but not by whom`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const citizenId = 'anna';
    await app.db.write(app.citizenKeys.creationStatements([citizenId]));
    const parts = { ...app, read: app.db.read, ports: { citizenExists: async () => true } };
    const hold = { actor: { operator: 'jane.doe' }, reason: 'Court order 4 O 12/26', on: { citizenId } } as const;
    assert.ok('hold' in (await placeHold(parts, hold)));
    await app.sequence();
    const part = { after: 0, limit: 9, now: app.time.now };
    const { usages } = await readAccessLog({ ...app, log: app.view, ...reporters }, citizenId, part);
    assert.deepEqual(
      usages.map(({ usage, initiator, details }) => [usage, initiator, details?.['reason']]),
      [['document.hold-placed', 'operator', 'Court order 4 O 12/26']],
    );
    // With the dot, because the text of a proof contains none.
    assert.doesNotMatch(JSON.stringify(usages), /jane\.doe/);
  });

  test(`${engine.name}: no proof of a use names the employee who acted`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const actor = { operator: 'jane.doe' } as const;
    await app.use('anna');
    await app.commit({ events: [{ ...app.event('anna'), actor }], statements: [] });
    await app.sequence();
    const part = { after: 0, limit: 9, now: app.time.now };
    const { usages, ...log } = await readAccessLog({ ...app, log: app.view, ...reporters }, 'anna', part);
    assert.deepEqual(
      usages.map(({ state, initiator }) => [state, initiator]),
      [
        ['shown', undefined],
        ['shown', 'operator'],
      ],
    );
    const openings = usages.map(({ proof }) => verified(proof));
    assert.deepEqual(
      openings.map((opening) => JSON.stringify(openEntryContent(opening))?.includes('jane.doe')),
      [false, undefined],
    );
    const keys = { chain: Buffer.from(log.chain, 'base64'), linkKey: Buffer.from(log.linkKey, 'base64') };
    assert.equal(verifyChain({ ...keys, leaves: openings.map(({ entry }) => entry) }), undefined);
  });

  test(`${engine.name}: a concealed use keeps its number, and shows its content with the reason only after its end date`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    await app.use('anna');
    const police = { clientId: 'police', scopes: new Set(['access-log:hide']) };
    const until = new Date(app.time.now + 30 * day).toISOString();
    const headers = { 'access-log-hidden-until': until, 'access-log-hidden-reason': 'Ermittlung%20%C2%A7%20101' };
    const hidden = parseConcealment(headers, police, { now: app.time.now, longestMs: 60 * day });
    assert.ok(hidden !== undefined && !('slug' in hidden));
    await app.commit(concealEffect({ events: [app.event('anna')], statements: [] }, hidden));
    await app.use('anna');
    await app.sequence();
    const look = async (now: number) =>
      await readAccessLog({ ...app, log: app.view, ...reporters }, 'anna', { after: 0, limit: 9, now });
    const before = await look(app.time.now);
    assert.deepEqual(
      before.usages.map(({ number, state }) => `${number} ${state}`),
      ['1 shown', '2 hidden', '3 shown'],
    );
    const [, secret] = before.usages;
    assert.deepEqual(Object.keys(secret ?? {}), ['number', 'logTime', 'state', 'proof']);
    assert.equal(openEntryContent(verified(secret?.proof ?? '')), undefined);
    const leaves = before.usages.map((usage) => verified(usage.proof).entry);
    const keys = { chain: Buffer.from(before.chain, 'base64'), linkKey: Buffer.from(before.linkKey, 'base64') };
    assert.equal(verifyChain({ ...keys, leaves }), undefined);
    const [, disclosed] = (await look(app.time.now + 31 * day)).usages;
    assert.deepEqual(
      [disclosed?.state, disclosed?.hiddenUntil, disclosed?.hiddenReason],
      ['shown', until, 'Ermittlung § 101'],
    );
  });

  test(`${engine.name}: after the erasure of a citizen each proof still verifies and no content can be decrypted`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    await app.db.write(app.citizenKeys.creationStatements(['anna', 'bert']));
    const [anna = assert.fail(), , bert = assert.fail()] = await app.use('anna', 'anna', 'bert');
    await app.sequence();
    const actor = { operator: 'registrar' };
    const parts = { ...app, read: app.db.read, actor };
    const note = (await app.view.signedCheckpoint())?.note ?? '';
    assert.equal(await eraseCitizen(parts, 'anna'), true);
    assert.equal(await eraseCitizen(parts, 'anna'), true);
    const named = await app.db.read('select citizen_id from ledger_entry where citizen_id is not null');
    assert.deepEqual(named, [{ citizen_id: 'bert' }]);
    await app.use('anna');
    await app.sequence();
    const proofOf = async (id: typeof anna) => {
      const entry = (await app.view.findEntry(id)) ?? assert.fail();
      const checkpoint = (await app.view.checkpointFor(entry.index)) ?? assert.fail();
      return verified(await app.view.proveEntry(entry, checkpoint, await app.view.findContentKey(entry)));
    };
    assert.equal(openEntryContent(await proofOf(anna)), undefined);
    assert.equal(openEntryContent(await proofOf(bert))?.['citizenId'], 'bert');
    const verdict = await verifyLog(app.source, { policy: logKeyPolicy, earlier: [note] });
    assert.equal('fault' in verdict ? verdict.fault : verdict.checkpoint.size, 6);
    const shown = await readAccessLog({ ...app, log: app.view, ...reporters }, 'anna', {
      after: 0,
      limit: 9,
      now: 0,
    });
    assert.deepEqual(
      shown.usages.map(({ number, state }) => `${number} ${state}`),
      ['1 erased', '2 erased', '3 shown'],
    );
    const types = await app.db.read("select type from ledger_entry where type = 'citizen.erased'");
    assert.equal(types.length, 2);
  });

  test(`${engine.name}: the ledger proves that endpoints were only added to the register`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const register = async (endpoint: string) =>
      await app.commit({
        events: [
          {
            type: 'endpoint.registered',
            id: app.createId('event'),
            at: app.time.now,
            actor: { process: 'start' },
            endpoint,
            since: '1.0',
            schemaHash: `sha-256:${endpoint}`,
          } as const,
        ],
        statements: [],
      });
    for (const endpoint of ['GET /v1/a', 'POST /v1/b']) await register(endpoint);
    await app.use('anna', undefined);
    await app.sequence();
    const growth = createEndpointRegisterProver(app.view, app.systemKeys);
    const before = (await growth()) ?? assert.fail();
    await register('GET /v1/c');
    await app.sequence();
    const after = (await growth()) ?? assert.fail();
    assert.deepEqual(
      after.entries.map(({ number, endpoint }) => `${number} ${endpoint}`),
      ['1 GET /v1/a', '2 POST /v1/b', '3 GET /v1/c'],
    );
    const leavesOf = ({ entries }: typeof after) => entries.map(({ proof }) => Buffer.from(verified(proof).entry));
    assert.deepEqual(leavesOf(after).slice(0, 2), leavesOf(before));
    const keys = { chain: Buffer.from(after.chain, 'base64'), linkKey: Buffer.from(after.linkKey, 'base64') };
    assert.equal(verifyChain({ ...keys, leaves: leavesOf(after) }), undefined);
    assert.match(verifyChain({ ...keys, leaves: leavesOf(after).toSpliced(1, 1) }) ?? '', /left out/);
  });
}

test('concealing a use needs the permission, an end date within the limit, and a reason', () => {
  const now = Date.UTC(2026, 0, 1);
  const given = (until: string | undefined, reason: string | undefined, scopes = ['access-log:hide']) => {
    const headers = { 'access-log-hidden-until': until, 'access-log-hidden-reason': reason };
    const answer = parseConcealment(
      headers,
      { clientId: 'police', scopes: new Set(scopes) },
      { now, longestMs: 10 * day },
    );
    return answer === undefined ? 'open' : 'slug' in answer ? answer.slug : 'hidden';
  };
  assert.equal(given(undefined, undefined, []), 'open');
  assert.equal(given('2026-01-05T00:00:00Z', 'law', []), 'hiding-not-permitted');
  assert.equal(given('2026-01-05T00:00:00Z', 'law'), 'hidden');
  for (const until of ['2026-01-12T00:00:00Z', '2025-12-31T00:00:00Z', 'tomorrow', undefined]) {
    assert.equal(given(until, 'law'), 'bad-request');
  }
  for (const reason of [undefined, '%20', '%zz', 'x'.repeat(201)])
    assert.equal(given('2026-01-05T00:00:00Z', reason), 'bad-request');
});
