import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchIn, createBatchCaller } from '../support/batches.ts';
import { bearerHeaders, createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { createClientToken } from '../support/valid-requests.ts';
import { waitUntil } from '../support/wait-until.ts';

const scope = fileCleanupScope();
const lines = (...rows: readonly string[]) => [...rows, ''].join('\r\n');

type WrongRow = readonly [code: string, detail: string, values: Readonly<Record<string, string>>];

/** A row of each wrong kind, with its code and a part of its detail. */
function wrongRows(template: string) {
  const header =
    'citizenId,message,templateId,subject,reference,category,language,sendAt,deliverBy,respondBy,channels,attachments,legalEffect,personalisation.name';
  const columns = header.split(',');
  const row = (values: Readonly<Record<string, string>>) => columns.map((name) => values[name] ?? '').join(',');
  const good = { citizenId: 'demo-mary', message: 'Hello' };
  const [longText, later] = ['x'.repeat(20_001), '2200-01-01T00:00:00Z'];
  const wrong: readonly WrongRow[] = [
    ['missing-value', 'citizenId', { message: 'One' }],
    ['missing-value', 'message', { citizenId: 'demo-mary' }],
    ['too-long', 'message', { ...good, message: longText }],
    ['too-long', 'reference', { ...good, reference: 'r'.repeat(201) }],
    ['not-allowed', 'category', { ...good, category: 'gossip' }],
    ['malformed', 'language', { ...good, language: '1' }],
    ['malformed', 'sendAt', { ...good, sendAt: 'tomorrow' }],
    ['out-of-range', 'sendAt', { ...good, sendAt: '2020-01-01T00:00:00Z' }],
    ['out-of-range', 'sendAt', { ...good, sendAt: later }],
    ['out-of-range', 'deliverBy', { ...good, deliverBy: '2020-01-01T00:00:00Z' }],
    ['malformed', 'respondBy', { ...good, respondBy: 'soon' }],
    ['not-allowed', 'channels', { ...good, channels: 'pigeon' }],
    ['not-valid', 'attachments', { ...good, attachments: 'doc_1 doc_1' }],
    ['not-found', 'attachments', { ...good, attachments: 'doc_01M7WKVMFEE008WANFAS9XRDZX' }],
    ['not-allowed', 'legalEffect', { ...good, legalEffect: 'at-once' }],
    ['not-found', 'templateId', { citizenId: 'demo-mary', templateId: 'tpl_01M7WKVMFEE008WANFAS9XRDZX' }],
    ['missing-value', 'personalisation.name', { citizenId: 'demo-mary', templateId: template }],
    ['not-allowed', 'message', { ...good, templateId: template, 'personalisation.name': 'Mary' }],
    ['not-a-column', 'personalisation.name', { ...good, 'personalisation.name': 'Mary' }],
    ['citizen-unknown', 'citizenId', { citizenId: 'nobody', message: 'Hello' }],
    ['duplicate-row', 'earlier row', { ...good, reference: 'R-2' }],
    ['duplicate-reference', 'reference', { ...good, message: 'Another', reference: 'R-1' }],
  ];
  return { columns, row, good, wrong };
}

for (const engine of ['sqlite', 'postgres'] as const) {
  const home: Promise<ServerFixture> = makeServerFixture(scope, { engine }).then(async (fixture) => {
    await fixture.start();
    return fixture;
  });
  const open = async () => {
    const { url, fetchAccessToken } = await home;
    const token = await fetchAccessToken();
    return { token, caller: createBatchCaller(url, token), send: createHttpClient(url) };
  };

  test(`${engine}: wrong rows of 22 kinds come back with their codes, and are sent after their correction`, async () => {
    const { caller, token, send } = await open();
    const texts = [{ language: 'en', message: 'Dear ((name)).' }];
    const made = await send(postJson(token, '/v1/templates', { name: 'A', defaultLanguage: 'en', texts }));
    const template = String(parseJsonBody(made)['id']);
    const { columns, row, good, wrong } = wrongRows(template);
    const file = lines(
      columns.join(','),
      row({ ...good, reference: 'R-1' }),
      ...wrong.map(([, , values]) => row(values)),
      '',
      ',,,',
    );
    const done = await caller.run(file);
    const refused = await caller.rows(done.id, 'refused');
    assert.deepEqual(
      refused.map(({ row: number, code, detail }) => [number, code, detail]),
      wrong.map(([code, part], at) => {
        const found = refused[at]?.detail ?? '';
        assert.ok(found.includes(part), found);
        assert.match(found, new RegExp(`^row ${at + 2}(, column [\\w.]+)?: `));
        assert.doesNotMatch(found, /[\\^$*?|[\]{}]/);
        assert.ok(found.split(' ').length <= 25, found);
        return [at + 2, code, found];
      }),
    );
    const { state, rows, accepted } = done;
    assert.deepEqual({ state, rows, accepted }, { state: 'done', rows: wrong.length + 1, accepted: 1 });
    assert.deepEqual(await caller.endEvents(done.id), [
      {
        type: 'notification-batch.done',
        data: { batch: done.id, rows: wrong.length + 1, accepted: 1, refused: wrong.length },
      },
    ]);

    // The results with other messages for the wrong rows, as a spreadsheet would save them.
    const results = await caller.results(done.id, 'refused');
    const [head = '', ...others] = results.trimEnd().split('\r\n');
    assert.equal(
      head,
      [...columns, 'row', 'state', 'code', 'detail', 'notificationId'].map((name) => `"${name}"`).join(','),
    );
    const corrected = others.map(
      (_line, at) => `demo-mary,Corrected ${at},${','.repeat(columns.length - 3)},${at},refused,x,"y",`,
    );
    const again = await caller.run(
      lines([...columns, 'row', 'state', 'code', 'detail', 'notificationId'].join(','), ...corrected),
    );
    assert.deepEqual([again.state, again.accepted, again.refused], ['done', wrong.length, 0]);
  });

  test(`${engine}: a file with a fault is refused as a whole, with its code and no row, and no value of it is stored`, async () => {
    const { caller } = await open();
    const faults: readonly (readonly [code: string, body: string | Uint8Array])[] = [
      ['unknown-column', lines('citizenId,message,colour', 'demo-mary,Hello,red')],
      ['missing-column', lines('citizenId,subject', 'demo-mary,Hello')],
      ['missing-column', lines('message', 'Hello')],
      ['repeated-column', lines('citizenId,message,message', 'demo-mary,Hello,Hello')],
      ['unknown-column', lines('demo-mary,Hello', 'demo-layla,Hello')],
      ['repeated-column', lines('demo-mary,demo-mary', 'demo-layla,Hello')],
      ['no-rows', lines('citizenId,message')],
      ['unknown-column', lines('"citizenId,message"', '"demo-mary,Hello"')],
      ['not-utf-8', Buffer.from(lines('citizenId,message', 'demo-mary,Schön'), 'latin1')],
      ['not-utf-8', Buffer.from(`\uFEFF${lines('citizenId\tmessage', 'demo-mary\tSchön')}`, 'utf16le')],
      ['not-utf-8', Buffer.from('PK\u0003\u0004\u0014\u0000\u0006', 'latin1')],
      ['malformed-csv', lines('citizenId,message', 'demo-mary,a "quoted" word')],
      ['row-too-large', lines('citizenId,message', `demo-mary,"${'x'.repeat(70_000)}`)],
      ['too-many-rows', lines('citizenId,message', ...Array.from({ length: 100_001 }, () => 'a,b'))],
    ];
    for (const [code, body] of faults) {
      const refused = batchIn(await caller.upload(body));
      assert.deepEqual([refused.state, refused.code, refused.accepted], ['refused', code, 0], code);
      assert.doesNotMatch(refused.detail ?? '', /demo|colour|Hello/);
      assert.equal((await caller.post(`/${refused.id}/start`)).status, 409);
      const data = { batch: refused.id, code };
      assert.deepEqual(await caller.endEvents(refused.id), [{ type: 'notification-batch.refused', data }]);
    }
  });

  test(`${engine}: a file as spreadsheets save it is sent, its results have its delimiter, and changed values are refused`, async () => {
    const { caller } = await open();
    const refused = (code: string, detail: RegExp) => ({ state: 'refused', code, detail });
    const files: readonly (readonly [body: string, end: string | ReturnType<typeof refused>])[] = [
      [`\uFEFF${lines('citizenId;message', 'demo-mary;"Two\r\nlines; ""quoted"""', ';', ';')}`, ';'],
      [lines('sep=;', 'citizenId;message', 'demo-mary;Stated delimiter'), ';'],
      ['citizenId\tmessage\ndemo-mary\tTabs', '\t'],
      [lines('citizenId,message,,', 'demo-mary,Columns without content,,', ',,,'), ','],
      ['citizenId;message\rdemo-mary;Lines of an old Mac\r', ';'],
      [lines('citizenId,message', '123,Lost zeros'), refused('citizen-unknown', /check that no zeros are missing/)],
      [lines('citizenId;message', '1,23457E+11;Lost digits'), refused('malformed', /format the column as text/)],
      [lines('citizenId;message;sendAt', 'demo-mary;A;28.11.2026 09:00'), refused('malformed', /such as 2026-01-31T/)],
      [lines('citizenId;message;respondBy', 'demo-mary;B;01.03.2027'), refused('malformed', /such as 2026-12-04/)],
    ];
    for (const [body, end] of files) {
      const done = await caller.run(body);
      if (typeof end === 'string') {
        assert.deepEqual([done.accepted, done.refused], [1, 0], body);
        assert.ok((await caller.results(done.id)).startsWith(`"citizenId"${end}"message"${end}"row"`), body);
      } else {
        const [row] = await caller.rows(done.id);
        assert.deepEqual([row?.state, row?.code], [end.state, end.code], body);
        assert.match(row?.detail ?? '', end.detail);
      }
    }
  });

  test(`${engine}: a single wrong row refuses a batch for all rows or none`, async () => {
    const { caller } = await open();
    const file = lines('citizenId,message', 'demo-mary,All or none 1', 'demo-mary,');
    const refused = await caller.run(file, { query: { rows: 'all-or-none' } });
    assert.deepEqual([refused.state, refused.code, refused.accepted], ['refused', 'rows-refused', 0]);
    assert.deepEqual(
      (await caller.rows(refused.id)).map(({ row, code }) => [row, code]),
      [[2, 'missing-value']],
    );
    const data = { batch: refused.id, rows: 2, accepted: 0, refused: 1, code: 'rows-refused' };
    assert.deepEqual(await caller.endEvents(refused.id), [{ type: 'notification-batch.refused', data }]);
  });

  test(`${engine}: a dry run checks all rows and sends none`, async () => {
    const { caller } = await open();
    const file = lines('citizenId,message', 'demo-mary,Dry run', 'demo-mary,');
    const done = await caller.run(file, { query: { dryRun: 'true' } });
    assert.deepEqual([done.state, done.checked, done.refused, done.accepted], ['done', 2, 1, 0]);
    const results = await caller.results(done.id);
    assert.deepEqual(
      results.split('\r\n').map((line) => line.split(',')[3]),
      ['"state"', '"waiting"', '"refused"', undefined],
    );
  });

  test(`${engine}: a batch with a manual start sends nothing before it, and JSON Lines keep their values`, async () => {
    const { caller } = await open();
    const first = {
      citizenId: 'demo-mary',
      message: 'Dear ((name))',
      personalisation: { name: '=Mary' },
      channels: ['inbox'],
    };
    const body = `${JSON.stringify(first)}\n{"citizenId":"demo-mary","message":"x","colour":"red"}\nno object\n`;
    const query = { start: 'manual', name: 'Manual' };
    const ready = await caller.run(body, { type: 'application/jsonl', query }, ['ready']);
    assert.deepEqual([ready.checked, ready.refused, ready.accepted], [3, 2, 0]);
    assert.equal((await caller.post(`/${ready.id}/start`)).status, 200);
    const done = await caller.readUntil(ready.id, ['done']);
    assert.equal(done.accepted, 1);
    const [head, line] = (await caller.results(done.id)).split('\r\n');
    assert.equal(
      head,
      '"citizenId","message","personalisation.name","channels","row","state","code","detail","notificationId"',
    );
    assert.match(line ?? '', /^"demo-mary","Dear \(\(name\)\)","'=Mary","inbox","1","/);
    const codes = (await caller.rows(done.id, 'refused')).map(({ code }) => code);
    assert.deepEqual(codes, ['not-a-column', 'malformed-line']);
  });

  test(`${engine}: a cancelled batch sends no further row, and ends for good`, async () => {
    const { caller } = await open();
    const rows = Array.from({ length: 5_000 }, (_, at) => `demo-mary,Cancelled ${at}`);
    const created = batchIn(await caller.upload(lines('citizenId,message', ...rows)));
    await waitUntil(async () => (await caller.read(created.id)).accepted > 0);
    const cancelled = batchIn(await caller.post(`/${created.id}/cancel`));
    assert.equal(cancelled.state, 'cancelled');
    assert.equal((await caller.post(`/${created.id}/cancel`)).status, 409);
    const data = { batch: created.id };
    assert.deepEqual(await caller.endEvents(created.id), [{ type: 'notification-batch.cancelled', data }]);
    const after = await caller.read(created.id);
    assert.ok(after.accepted > 0 && after.accepted < rows.length, `${after.accepted} rows were accepted`);
    assert.equal(
      Object.values(after.notifications ?? {}).reduce((sum, count) => sum + count, 0),
      after.accepted,
    );
    assert.equal((await caller.rows(created.id)).length, after.accepted);
  });

  test(`${engine}: a repeated upload gets the same batch, and another file under its key is refused`, async () => {
    const { caller } = await open();
    const file = lines('citizenId,message', 'demo-mary,Repeated');
    const first = await caller.upload(file, { key: 'repeated' });
    const again = await caller.upload(file, { key: 'repeated' });
    assert.deepEqual([again.status, again.headers['idempotent-replayed']], [202, 'true']);
    assert.equal(batchIn(again).id, batchIn(first).id);
    const other = await caller.upload(lines('citizenId,message', 'demo-mary,Other'), { key: 'repeated' });
    assert.deepEqual([other.status, parseJsonBody(other)['title']], [422, 'Key already used for another request']);
    const otherOptions = await caller.upload(file, { key: 'repeated', query: { dryRun: 'true' } });
    assert.equal(otherOptions.status, 422);
  });

  test(`${engine}: the batches of another client are not found, and not listed`, async () => {
    const { caller, send } = await open();
    const own = batchIn(await caller.upload(lines('citizenId,message', 'demo-mary,Own')));
    const fixture = await home;
    const token = await createClientToken(fixture, 'Another office');
    const other = createBatchCaller(fixture.url, token);
    for (const path of ['', '/rows', '/results']) assert.equal((await other.get(`/${own.id}${path}`)).status, 404);
    for (const path of ['/start', '/cancel']) assert.equal((await other.post(`/${own.id}${path}`)).status, 404);
    const listed = await send({ path: '/v1/notification-batches', headers: bearerHeaders(token) });
    assert.deepEqual(parseJsonBody(listed), { items: [], next: null });
  });
}
