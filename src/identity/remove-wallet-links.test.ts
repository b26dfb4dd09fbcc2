import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { openIdentityAppWith } from '../../test/support/identity-people.ts';
import { attestedClaims, presentClaims, walletPerson } from '../../test/support/presentations.ts';
import { createDispatch } from '../api/dispatch.ts';
import { bindOperation } from '../api/operation.ts';
import { eraseRecordStatements } from './erase-citizen-record.ts';
import { readOwnRecord } from './read-own-record.ts';
import { removeWalletLinks } from './remove-wallet-links.ts';

const people = [
  { citizenId: 'A', ...walletPerson },
  { citizenId: 'B', ...walletPerson, givenName: 'Bo' },
];
const link = { issuingCountry: 'ES', administrativeNumber: '1', consented: true };

for (const engine of engines) {
  test(`${engine.name}: citizens see and remove the links to their own wallets, and an erasure deletes them`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    await presentClaims(app, attestedClaims(walletPerson, { link }));
    const ofBo = { ...link, administrativeNumber: '2' };
    await presentClaims(app, attestedClaims({ ...walletPerson, givenName: 'Bo' }, { link: ofBo }));
    const call = async (operation: typeof readOwnRecord | typeof removeWalletLinks, citizenId: string | undefined) => {
      const caller = { clientId: 'my-pages', scopes: new Set(['citizen:self']), citizenId };
      const authorizer = { authenticate: async () => caller, takeQuota: () => ({ headers: {} }) };
      const dispatch = createDispatch(bindOperation(operation, app.ports), {
        ...app.importDeps,
        fingerprintKey: new Uint8Array(32),
        authorizer,
      });
      const { result } = await dispatch({
        method: operation.method,
        params: {},
        query: '',
        headers: {},
        body: Readable.from([]),
        signal: new AbortController().signal,
      });
      return 'slug' in result ? result.slug : 'json' in result ? Object(result.json).walletLinks : assert.fail();
    };
    const kept = [{ issuingCountry: 'ES', keptAt: '2026-03-01T09:30:00.000Z' }];
    assert.deepEqual(await call(readOwnRecord, 'A'), kept);
    assert.equal(await call(removeWalletLinks, undefined), 'citizen-token-needed');
    assert.deepEqual(await call(removeWalletLinks, 'A'), []);
    assert.deepEqual([await call(readOwnRecord, 'A'), await call(readOwnRecord, 'B')], [[], kept]);
    const removed = (await app.events('A')).find(({ type }) => type === 'wallet-link.removed');
    assert.deepEqual(removed?.['actor'], { citizen: true });
    const erasure = { citizenId: 'B', erasedId: 'erased:B', keepsRegisterRow: true };
    await app.db.write(
      eraseRecordStatements({ ...erasure, chain: new Uint8Array(32), now: 0, proof: app.importDeps.createId('event') }),
    );
    assert.deepEqual(await app.db.read('select * from wallet_link', []), []);
  });
}
