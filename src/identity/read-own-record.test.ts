import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { openIdentityAppWith } from '../../test/support/identity-people.ts';
import { createDispatch } from '../api/dispatch.ts';
import { bindOperation } from '../api/operation.ts';
import { readOwnRecord } from './read-own-record.ts';
import { RegisterUnavailable } from './register/register.ts';
import type { IdentityPorts } from './verification/ports.ts';

const former = { formerNames: [{ familyName: 'Costa', until: '2024' }], formerAddresses: [{ locality: 'Porto' }] };
const people = [
  {
    citizenId: 'A',
    givenName: 'Ana',
    familyName: 'Silva',
    birthDate: '1990-11-30',
    email: 'ana@example.org',
    ...former,
    underReview: 'yes',
    locked: 'yes',
  },
  { citizenId: 'B', givenName: 'Bo' },
];
const nothing = {
  givenName: null,
  familyName: null,
  birthFamilyName: null,
  birthDate: null,
  birthPlace: null,
  streetAddress: null,
  postalCode: null,
  locality: null,
  country: null,
  documentNumber: null,
  nationality: null,
  email: null,
  phone: null,
  language: null,
  formerNames: [],
  formerAddresses: [],
  underReview: false,
  locked: false,
  ownLock: false,
  deceased: false,
  walletLinks: [],
};

for (const engine of engines) {
  test(`${engine.name}: a citizen can read their complete record, each read is recorded, and a person outside the register has none`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const ask = async (citizenId: string | undefined, over: Partial<IdentityPorts> = {}) => {
      const caller = { clientId: 'portal', scopes: new Set(['citizen:self']), citizenId };
      const authorizer = {
        authenticate: async () => caller,
        takeQuota: () => ({ headers: {} }),
      };
      const served = { ...app.importDeps, fingerprintKey: new Uint8Array(32) };
      const { result } = await createDispatch(bindOperation(readOwnRecord, { ...app.ports, ...over }), {
        ...served,
        authorizer,
      })({
        method: 'GET',
        params: {},
        query: '',
        headers: {},
        body: Readable.from([]),
        signal: new AbortController().signal,
      });
      return 'slug' in result ? result.slug : 'json' in result ? result.json : assert.fail('not JSON');
    };
    assert.deepEqual(await ask('A'), {
      ...nothing,
      citizenId: 'A',
      givenName: 'Ana',
      familyName: 'Silva',
      birthDate: '1990-11-30',
      email: 'ana@example.org',
      ...former,
      underReview: true,
      locked: true,
    });
    assert.deepEqual(await ask('B'), { ...nothing, citizenId: 'B', givenName: 'Bo' });
    assert.equal(Object(await ask('B', { lockChangeNotice: undefined as never })).ownLock, null);
    const [event, ...more] = await app.events('A');
    assert.deepEqual([event?.['type'], event?.['actor'], more], ['identity.record-read', { citizen: true }, []]);
    assert.equal(await ask('nobody'), 'citizen-not-found');
    assert.equal(await ask(undefined), 'citizen-token-needed');
    const find = async () => {
      throw new RegisterUnavailable('down');
    };
    assert.equal(await ask('A', { register: { ...app.ports.register, find } }), 'register-unavailable');
  });
}
