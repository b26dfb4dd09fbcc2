import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { concealEffect } from '../../src/api/concealed-access.ts';
import { createDispatch } from '../../src/api/dispatch.ts';
import { bindOperation } from '../../src/api/operation.ts';
import type { AccessLogPage } from '../../src/audit/access-log.ts';
import type { UsageDescription } from '../../src/audit/describe-usage.ts';
import type { AuditPorts } from '../../src/audit/ports.ts';
import { readOwnAccessLog } from '../../src/audit/read-own-access-log.ts';
import type { Usage } from '../../src/audit/usage.ts';
import { engines } from '../support/database-engines.ts';
import { buildLedgerApp } from '../support/ledger-app.ts';

const organisationOf = (clientId: string) => (clientId === 'tax' ? 'Tax Office' : clientId);
/** The uses here are not verifications. */
const reporters = { organisationOf, explanationOf: async () => assert.fail('nothing to explain') };
const day = 86_400_000;

for (const engine of engines) {
  test(`${engine.name}: the access log is for the citizen of the token, and its first look of a session is recorded`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    await app.use('anna', 'bert');
    await app.sequence();
    assert.equal(await readOwnLog(app, undefined), 'citizen-token-needed');
    const kinds = async (session: string | undefined) =>
      (await readOwnPage(app, 'anna', { session })).usages.map(({ usage }) => usage);
    assert.deepEqual(await kinds('morning'), ['document.listed']);
    // The event of the first look still waits for its number.
    assert.deepEqual(await kinds('morning'), ['document.listed']);
    await app.sequence();
    assert.deepEqual(await kinds('morning'), ['document.listed', 'access-log.read']);
    assert.equal((await kinds('evening')).length, 2);
    await app.sequence();
    assert.equal((await kinds('evening')).length, 3);
    await app.sequence();
    assert.equal((await kinds('evening')).length, 3);
    // A token of an issuer that names no session: each look counts.
    assert.equal((await kinds(undefined)).length, 3);
    await app.sequence();
    assert.equal((await kinds('evening')).length, 4);
  });

  test(`${engine.name}: a look of staff does not count as the look of a session`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const actor = { operator: 'jane' } as const;
    const look = {
      type: 'access-log.read',
      id: app.createId('event'),
      at: app.time.now,
      actor,
      citizenId: 'anna',
    } as const;
    await app.commit({ events: [{ ...look, after: 0, shown: 0 }], statements: [] });
    await app.sequence();
    await readOwnPage(app, 'anna', { session: 'morning' });
    await app.sequence();
    const { usages } = await readOwnPage(app, 'anna', { session: 'morning' });
    assert.deepEqual(
      usages.map(({ initiator }) => initiator),
      ['operator', 'citizen'],
    );
  });

  test(`${engine.name}: uses are filtered by actor, organisation and date, and next leads to all of them`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const start = app.time.now;
    const commit = async (type: 'tax' | 'permits' | 'own' | 'scan') => {
      const head = { id: app.createId('event'), at: app.time.now, citizenId: 'anna' } as const;
      const [actor, document] = [{ citizen: true } as const, app.createId('document')];
      const event =
        type === 'own'
          ? ({ ...head, type: 'inbox.listed', actor, shown: 1 } as const)
          : type === 'scan'
            ? ({ ...head, type: 'document.withdrawn', document, actor: { process: 'scan' } } as const)
            : ({
                ...head,
                type: 'document.retrieved',
                document,
                actor: { client: type },
                purpose: 'council-tax',
              } as const);
      await app.commit({ events: [event], statements: [] });
    };
    await commit('tax');
    for (let dayNumber = 1; dayNumber <= 5; dayNumber += 1) {
      app.time.now = start + dayNumber * day;
      await commit('permits');
      for (let view = 0; view < 120; view += 1) await commit('own');
      await commit('scan');
    }
    await app.sequence();
    const whoOf = ({ usages }: OwnPage) =>
      usages.map(({ initiator, initiatorOrg }) => initiatorOrg?.code ?? initiator ?? '?').join(' ');
    const read = async (query: string) => await readOwnPage(app, 'anna', { query });
    const newest = await read('by=others&before=999999999999999&limit=5');
    assert.equal(whoOf(newest), 'system permits system permits system');
    const older = await read(`by=others&before=${newest.next}&limit=5`);
    assert.equal(whoOf(older), 'permits system permits system permits');
    const oldest = await read(`by=others&before=${older.next}&limit=5`);
    assert.deepEqual([whoOf(oldest), oldest.next], ['tax', null]);
    const own = await read('by=citizen&limit=100');
    assert.deepEqual([own.returnedUsages, whoOf(own).replaceAll('citizen', '').trim()], [100, '']);
    assert.equal((await read(`by=citizen&limit=100&after=${own.next}`)).returnedUsages, 100);
    assert.equal(whoOf(await read('organisation=tax')), 'tax');
    assert.equal(whoOf(await read('organisation=citizen-services')), 'system system system system system');
    assert.equal(whoOf(await read('organisation=nobody')), '');
    assert.equal(whoOf(await read('by=others&from=2026-06-02&to=2026-06-03')), 'permits system permits system');
    assert.equal(whoOf(await read('by=others&from=2030-01-01')), '');
    assert.equal(whoOf(await read('by=others&to=2026-06-01')), 'tax');
    // The day after 31 May, and the day after 30 June.
    assert.equal(whoOf(await read('by=others&from=2026-06-31')), '');
    assert.deepEqual((await read('organisations=true&limit=1')).organisations, [
      { code: 'tax', name: 'Tax Office' },
      { code: 'citizen-services', name: 'citizen-services' },
      { code: 'permits', name: 'permits' },
    ]);
    assert.equal((await read('limit=1')).organisations, undefined);
    for (const query of [
      'from=2026-02-32',
      'to=2026-13-01',
      'to=9999-12-31',
      'from=yesterday',
      'by=nobody',
      'language=%3Cb%3E',
    ])
      assert.equal(await readOwnLog(app, 'anna', { query }), 'bad-request', query);
  });

  test(`${engine.name}: the dates of a filter are days in the time zone of the server`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    // In Pago Pago (UTC-11) the first of June ends at 11:00 UTC on 2 June.
    for (const at of ['01T10:59:59.999Z', '01T11:00:00.000Z', '02T10:59:59.999Z', '02T11:00:00.000Z']) {
      app.time.now = Date.parse(`2026-06-${at}`);
      await app.use('anna');
      await app.sequence();
    }
    const numbersOf = async (query: string) => {
      const { usages } = await readOwnPage(app, 'anna', { query: `by=others&${query}`, timeZone: 'Pacific/Pago_Pago' });
      return usages.map(({ number }) => number);
    };
    assert.deepEqual(await numbersOf('from=2026-06-01&to=2026-06-01'), [2, 3]);
    // 31 May has a day after it, and April has none: 31 April is 1 May.
    assert.deepEqual(await numbersOf('to=2026-05-31'), [1]);
    assert.deepEqual(await numbersOf('from=2026-04-31&to=2026-06-01'), [1, 2, 3]);
  });

  test(`${engine.name}: no filter and no list of organisations reveals who concealed a use`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const until = new Date(app.time.now + 30 * day).toISOString();
    const secret = { ...app.event('anna'), actor: { client: 'police' } } as const;
    const concealment = { hiddenUntil: until, hiddenReason: 'law' };
    await app.use('anna');
    await app.commit(concealEffect({ events: [secret], statements: [] }, concealment));
    await app.sequence();
    const read = async (query: string) => {
      const { usages, organisations, next } = await readOwnPage(app, 'anna', { query, session: 'one' });
      return { numbers: usages.map(({ number }) => number), organisations, next };
    };
    // The same response as for an organisation without any use.
    assert.deepEqual(await read('organisation=police'), await read('organisation=nobody'));
    assert.deepEqual(await read('organisation=citizen-services'), await read('organisation=nobody'));
    assert.deepEqual((await read('by=others&from=2026-06-01&to=2026-06-01')).numbers, [1, 2]);
    assert.doesNotMatch(JSON.stringify((await read('organisations=true')).organisations), /police/);
    app.time.now += 31 * day;
    assert.equal((await read('organisation=police')).numbers.length, 1);
    assert.match(JSON.stringify((await read('organisations=true')).organisations), /police/);
  });

  test(`${engine.name}: a use names its document, the organisation with access, and the purpose in words`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const head = { at: app.time.now, citizenId: 'anna', actor: { client: 'permits' } } as const;
    const [document, notification] = [app.createId('document'), app.createId('notification')];
    const events = [
      { ...head, id: app.createId('event'), type: 'document.granted', document, to: 'tax', purpose: 'council-tax' },
      { ...head, id: app.createId('event'), type: 'notification.status-read', notification },
    ] as const;
    for (const event of events) await app.commit({ events: [event], statements: [] });
    await app.sequence();
    const { usages } = await readOwnPage(app, 'anna', { query: 'language=de-AT' });
    assert.deepEqual(
      usages.map(({ object, recipientOrg, purpose, purposeText, purposeLanguage }) => ({
        object,
        recipientOrg,
        purpose,
        purposeText,
        purposeLanguage,
      })),
      [
        {
          object: { type: 'document', id: document, state: 'available', title: 'Title for anna' },
          recipientOrg: { type: 'GOV', code: 'tax', name: 'Tax Office' },
          purpose: 'council-tax',
          purposeText: 'council-tax of tax in de-AT',
          purposeLanguage: 'de',
        },
        {
          object: { type: 'message', id: notification, state: 'erased' },
          recipientOrg: undefined,
          purpose: undefined,
          purposeText: undefined,
          purposeLanguage: undefined,
        },
      ],
    );
  });
}

type OwnPage = Omit<AccessLogPage, 'usages'> & {
  readonly usages: readonly (Usage & UsageDescription)[];
  readonly organisations?: readonly unknown[];
};
type OwnRequest = { readonly query?: string; readonly session?: string | undefined; readonly timeZone?: string };

/** The response to the token of a citizen, or the name of the problem. */
async function readOwnLog(
  app: ReturnType<typeof buildLedgerApp>,
  citizenId: string | undefined,
  { query = '', session, timeZone = 'UTC' }: OwnRequest = {},
): Promise<OwnPage | string> {
  const authorizer = {
    authenticate: async () => ({ clientId: 'my-data', scopes: new Set(['citizen:self']), citizenId, session }),
    takeQuota: () => ({ headers: {} }),
  };
  const ports: AuditPorts = {
    log: app.view,
    citizenKeys: app.citizenKeys,
    ...reporters,
    ownDocumentOf: async (id, owner) => ({ type: 'document', id, state: 'available', title: `Title for ${owner}` }),
    ownMessageOf: async (id) => ({ type: 'message', id, state: 'erased' }),
    purposeTextOf: (clientId, purpose, language) =>
      clientId === 'tax' ? { text: `${purpose} of ${clientId} in ${language}`, language: 'de' } : undefined,
    endpoints: [],
    timeZone,
    proveEndpointRegister: async () => undefined,
    isErasureOf: async () => false,
  };
  const dispatch = createDispatch(bindOperation(readOwnAccessLog, ports), {
    ...app,
    authorizer,
    read: app.db.read,
    fingerprintKey: new Uint8Array(32),
  });
  const asked = { method: 'GET', params: {}, query, headers: {}, body: Readable.from([]) };
  const { result } = await dispatch({ ...asked, signal: new AbortController().signal });
  return 'slug' in result ? result.slug : 'json' in result ? (result.json as OwnPage) : assert.fail();
}

async function readOwnPage(app: ReturnType<typeof buildLedgerApp>, citizenId: string, request: OwnRequest = {}) {
  const page = await readOwnLog(app, citizenId, request);
  return typeof page === 'string' ? assert.fail(page) : page;
}
