import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { createNotificationApp } from '../../test/support/notification-app.ts';
import type { Database } from '../db/database.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';

const now = Date.UTC(2026, 0, 15, 9);
const clock = { now: () => now };
const citizens = { 'cit-ada': { email: 'ada@example.org', language: 'nb' }, 'cit-no-mail': {} };
const open = (db: Database) => createNotificationApp(db, clock, citizens);

for (const engine of engines) {
  test(`${engine.name}: sending answers 202 with the location, the id and the receipt`, async (t) => {
    const app = await open(await engine.open(t));
    const answer = await app.send({ citizenId: 'cit-ada', message: 'Hello.', reference: 'case 7' });
    assert.ok('json' in answer);
    const { id, receipt } = answer.json;
    assert.match(`${id} ${receipt}`, /^ntf_\w{26} \/v1\/receipts\/evt_\w{26}$/);
    assert.deepEqual(answer, {
      status: 202,
      headers: { location: `/v1/notifications/${id}` },
      json: {
        id,
        citizenId: 'cit-ada',
        reference: 'case 7',
        status: 'accepted',
        createdAt: '2026-01-15T09:00:00.000Z',
        deliverBy: '2026-01-29T09:00:00.000Z',
        receipt,
      },
    });
    assert.deepEqual(await app.events(), ['notification.accepted']);
  });

  test(`${engine.name}: a citizen id of the maximum length can be used to send and to list`, async (t) => {
    const citizenId = 'ż'.repeat(200);
    const app = await createNotificationApp(await engine.open(t), clock, { [citizenId]: {} });
    const id = await app.accept({ citizenId });
    const listed = await app.list(`citizenId=${encodeURIComponent(citizenId)}`);
    assert.ok('json' in listed);
    assert.deepEqual(
      (listed.json['items'] as Array<{ id: unknown }>).map((item) => item.id),
      [id],
    );
    assert.ok('refused' in (await app.send({ citizenId: `${citizenId}x`, message: 'Hello.' })));
  });

  test(`${engine.name}: no column contains the plain text or subject`, async (t) => {
    const db = await engine.open(t);
    const app = await open(db);
    await app.accept({ citizenId: 'cit-ada', message: 'SECRET-TEXT', subject: 'SECRET-SUBJECT' }, { key: 'one' });
    for (const table of ['notification', 'delivery', 'delivery_attempt', 'ledger_event', 'idempotency']) {
      const rows = await db.read(`select * from ${table}`);
      const values = rows.flatMap((row) => Object.values(row));
      const text = values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value)).join(' ');
      assert.doesNotMatch(text, /SECRET/, table);
    }
  });

  test(`${engine.name}: a repeated idempotency key sends once and returns the same answer`, async (t) => {
    const app = await open(await engine.open(t));
    const body = { citizenId: 'cit-ada', message: 'Hello.' };
    const first = await app.send(body, { key: 'k1' });
    const again = await app.send(body, { key: 'k1' });
    assert.ok('json' in first && 'json' in again);
    assert.deepEqual(again.json, first.json);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    const other = await app.send({ ...body, message: 'Other.' }, { key: 'k1' });
    assert.ok('refused' in other && other.refused.slug === 'idempotency-key-reused');
    assert.deepEqual(await app.events(), ['notification.accepted']);
  });

  test(`${engine.name}: the row of an idempotency key does not contain a plain hash of the request`, async (t) => {
    const db = await engine.open(t);
    const app = await open(db);
    const body = { citizenId: 'cit-ada', message: 'Hello.' };
    await app.send(body, { key: 'k1' });
    const plain = createHash('sha256').update(canonicalJson(body)).digest();
    const [row] = await db.read('select fingerprint from idempotency');
    assert.ok(row?.['fingerprint'] instanceof Uint8Array && row['fingerprint'].length === 32);
    assert.ok(!plain.equals(row['fingerprint']));
  });

  test(`${engine.name}: ten concurrent sends with the same key make one notification`, async (t) => {
    const db = await engine.open(t);
    // All ten look for a stored answer before any of them stores one.
    const { promise: allLooked, resolve } = Promise.withResolvers<void>();
    let looks = 0;
    const read: Database['read'] = async (sql, args) => {
      const rows = await db.read(sql, args);
      if (sql.includes('from idempotency')) looks += 1;
      if (looks === 10) resolve();
      return rows;
    };
    const write: Database['write'] = async (unit) => {
      if (looks > 0) await allLooked;
      return await db.write(unit);
    };
    const app = await open({ ...db, read, write });
    const body = { citizenId: 'cit-ada', message: 'Hello.' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => app.send(body, { key: 'k1' })));
    const slugs = answers.flatMap((answer) => ('refused' in answer ? [answer.refused.slug] : []));
    assert.deepEqual(new Set(slugs), new Set(['idempotency-key-in-progress']));
    assert.equal((await db.read('select id from notification')).length, 1);
    assert.equal((await db.read('select id from delivery')).length, 2);
    assert.deepEqual(await app.events(), ['notification.accepted']);
  });

  test(`${engine.name}: the inbox has the message at once, and the other channels are queued`, async (t) => {
    const app = await open(await engine.open(t));
    const shown = await app.show(await app.accept({ citizenId: 'cit-ada' }));
    assert.deepEqual([shown['status'], outline(shown)], ['accepted', ['inbox sent', 'email queued']]);
  });

  test(`${engine.name}: a message with sendAt is scheduled, and is not in the inbox before that time`, async (t) => {
    const app = await open(await engine.open(t));
    const sendAt = '2026-01-16T09:00:00+01:00';
    const answer = await app.send({ citizenId: 'cit-ada', message: 'Hello.', sendAt });
    assert.ok('json' in answer);
    assert.deepEqual([answer.status, answer.json['status']], [202, 'scheduled']);
    const shown = await app.show(String(answer.json['id']));
    assert.deepEqual(
      [shown['status'], shown['sendAt'], shown['deliverBy'], outline(shown)],
      ['scheduled', '2026-01-16T08:00:00.000Z', '2026-01-30T08:00:00.000Z', ['inbox queued', 'email queued']],
    );
  });

  test(`${engine.name}: a send to an unknown citizen gets the same answer as one to a known citizen`, async (t) => {
    const app = await open(await engine.open(t));
    const known = await app.send({ citizenId: 'cit-ada', message: 'Hello.' });
    const unknown = await app.send({ citizenId: 'cit-who', message: 'Hello.' });
    assert.ok('json' in known && 'json' in unknown);
    assert.deepEqual(Object.keys(unknown.json), Object.keys(known.json));
    assert.deepEqual([unknown.status, unknown.json['status']], [202, 'accepted']);
  });

  test(`${engine.name}: a scheduled notification does not show whether the citizen is known, nor the citizen's language`, async (t) => {
    const app = await open(await engine.open(t));
    const waiting = async (citizenId: string) => {
      const shown = await app.show(await app.accept({ citizenId, sendAt: '2026-03-01T00:00:00Z' }));
      const deliveries = (shown['deliveries'] as object[]).map((one) => ({ ...one, id: '' }));
      return { ...shown, deliveries, id: '', citizenId: '', receipt: '' };
    };
    assert.deepEqual(await waiting('cit-ada'), await waiting('cit-nobody'));
  });

  test(`${engine.name}: a write unit that fails leaves no notification, delivery or event`, async (t) => {
    const db = await engine.open(t);
    const app = await open({
      ...db,
      write: (unit) =>
        db.write(
          unit.map((statement) =>
            statement.sql.startsWith('insert into ledger_event')
              ? { ...statement, args: [...(statement.args ?? []).slice(0, 5), null] }
              : statement,
          ),
        ),
    });
    await assert.rejects(app.send({ citizenId: 'cit-ada', message: 'Hello.' }), { name: 'WriteRefused' });
    for (const table of ['notification', 'delivery', 'ledger_event']) {
      assert.deepEqual(await db.read(`select * from ${table}`), [], table);
    }
  });
}

function outline(shown: Record<string, unknown>): string[] {
  return (shown['deliveries'] as Array<{ channel: string; status: string }>).map(
    ({ channel, status }) => `${channel} ${status}`,
  );
}

for (const engine of engines) {
  test(`${engine.name}: only a caller with citizens:known learns that a citizen is unknown`, async (t) => {
    const app = await open(await engine.open(t));
    const knowing = { clientId: 'knowing office' };
    const unknown = { citizenId: 'cit-nobody', message: 'Hello.' };
    const refused = await app.send(unknown, knowing);
    assert.ok('refused' in refused);
    assert.equal(refused.refused.slug, 'citizen-not-found');
    const accepted = await app.send(unknown);
    assert.ok('json' in accepted && accepted.status === 202);
  });
}
