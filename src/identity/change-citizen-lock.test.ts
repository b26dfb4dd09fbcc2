import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { type IdentityApp, verifyDecisionOf } from '../../test/support/identity-app.ts';
import { importPeople, openIdentityAppWithPeople, zoeClaims } from '../../test/support/identity-people.ts';
import { createDispatch } from '../api/dispatch.ts';
import { bindOperation } from '../api/operation.ts';
import { changeCitizenLock } from './change-citizen-lock.ts';
import type { IdentityPorts } from './verification/ports.ts';

const dayMs = 86_400_000;

/** Calls the operation as that citizen. Returns the JSON response, or the name of the problem. */
function asking(app: IdentityApp) {
  return async (locked: boolean, citizenId: string | undefined = zoeClaims.citizenId, over: object = {}) => {
    const caller = { clientId: 'my-pages', scopes: new Set(['citizen:self']), citizenId };
    const authorizer = {
      authenticate: async () => caller,
      takeQuota: () => ({ headers: {} }),
    };
    const ports: IdentityPorts = { ...app.ports, ...over };
    const served = { ...app.importDeps, fingerprintKey: new Uint8Array(32), authorizer };
    const { result } = await createDispatch(
      bindOperation(changeCitizenLock, ports),
      served,
    )({
      method: 'POST',
      params: {},
      query: '',
      headers: { 'content-type': 'application/json' },
      body: Readable.from([Buffer.from(JSON.stringify({ locked }))]),
      signal: new AbortController().signal,
    });
    return 'slug' in result ? result.slug : 'json' in result ? result.json : assert.fail('not JSON');
  };
}

/** The types of the events about the citizen, oldest first. */
const typesOf = async (app: IdentityApp) => (await app.events(zoeClaims.citizenId)).map(({ type }) => type);

for (const engine of engines) {
  test(`${engine.name}: a record locked by its citizen matches nothing until it is unlocked, and each change is notified and recorded`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const ask = asking(app);
    assert.equal(await verifyDecisionOf(app, zoeClaims), 'match');
    assert.deepEqual(await ask(true), { ownLock: true });
    assert.equal(await verifyDecisionOf(app, zoeClaims), 'no_match');
    assert.deepEqual(await ask(false), { ownLock: false });
    assert.equal(await verifyDecisionOf(app, zoeClaims), 'match');
    assert.deepEqual(await typesOf(app), [
      'identity.verified',
      'own-lock.set',
      'notification.accepted',
      'identity.verified',
      'own-lock.lifted',
      'notification.accepted',
      'identity.verified',
    ]);
  });

  test(`${engine.name}: a citizen lock is set once, even by two concurrent requests`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const ask = asking(app);
    const answers = await Promise.all([ask(true), ask(true), ask(true)]);
    assert.deepEqual(
      [...answers, await ask(true)],
      Array.from({ length: 4 }, () => ({ ownLock: true })),
    );
    const types = await typesOf(app);
    assert.deepEqual(
      ['own-lock.set', 'notification.accepted', 'identity.record-read'].map(
        (type) => types.filter((one) => one === type).length,
      ),
      [1, 1, 3],
    );
  });

  test(`${engine.name}: staff and imports cannot change the citizen's lock, and the citizen cannot change that of staff`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const ask = asking(app);
    await ask(true);
    await importPeople(t, app, [{ ...zoeClaims, locked: 'no' }]);
    assert.equal(await verifyDecisionOf(app, zoeClaims), 'no_match');
    await importPeople(t, app, [{ ...zoeClaims, locked: 'yes' }]);
    await ask(false);
    assert.equal(await verifyDecisionOf(app, zoeClaims), 'no_match');
    const record = await app.ports.register.find(zoeClaims.citizenId);
    assert.deepEqual([record?.locked, record?.lockedByCitizen], [true, false]);
  });

  test(`${engine.name}: a citizen can unlock the record five times a day, and lock it at any time`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const ask = asking(app);
    for (let times = 0; times < 5; times += 1) {
      await ask(true);
      assert.deepEqual(await ask(false), { ownLock: false });
    }
    assert.deepEqual(await ask(true), { ownLock: true });
    assert.equal(await ask(false), 'too-many-unlocks');
    assert.equal(await verifyDecisionOf(app, zoeClaims), 'no_match');
    app.pass(dayMs);
    assert.deepEqual(await ask(false), { ownLock: false });
  });

  test(`${engine.name}: a person outside the register cannot set a lock, and no citizen can with an external register`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const ask = asking(app);
    assert.equal(await ask(true, 'nobody'), 'citizen-not-found');
    assert.equal(await ask(true, zoeClaims.citizenId, { lockChangeNotice: undefined }), 'lock-not-kept-here');
    assert.deepEqual(await app.events(zoeClaims.citizenId), []);
  });

  test(`${engine.name}: a lock stays unchanged if its citizen cannot be notified`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const ask = asking(app);
    await ask(true);
    const lockChangeNotice = async () => {
      throw new Error('no message could be made');
    };
    await assert.rejects(ask(false, zoeClaims.citizenId, { lockChangeNotice }), /no message could be made/);
    assert.equal(await verifyDecisionOf(app, zoeClaims), 'no_match');
  });
}
