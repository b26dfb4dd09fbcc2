import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import { type Engine, engines } from '../support/database-engines.ts';
import { openSimulatedServer, writeFileIn } from '../support/simulated-server.ts';
import { startTestSmtpServer } from '../support/smtp-server.ts';
import { makeTestFolder } from '../support/test-folder.ts';

// In Helsinki summer time starts on Sunday, 29 March 2026, at 01:00 UTC: 03:00 (+2) is followed by 04:00 (+3).
const timeZone = 'Europe/Helsinki';
const cascade = {
  steps: [{ channel: 'email' }],
  quietHours: { channels: ['email'], from: 8, until: 20, timeZone },
};
const scopes = ['notifications:send', 'notifications:read'];

/** A server in Helsinki with a clock that the test sets. */
async function openInHelsinki(t: TestContext, engine: Engine['name']) {
  const sink = await startTestSmtpServer(t);
  const policy = join(makeTestFolder('cs-zone-'), 'cascade.json');
  t.after(() => rmSync(dirname(policy), { recursive: true }));
  writeFileSync(policy, JSON.stringify(cascade));
  const settings = { TIME_ZONE: timeZone, HOLIDAYS: '2026-04-01', CASCADE_POLICY: policy, SMTP_URL: sink.url };
  const app = await openSimulatedServer(t, engine, settings, Date.parse('2026-03-28T17:59:59Z'));
  await app.start();
  t.after(() => app.stop());
  const ida = { citizenId: 'c-1', givenName: 'Ida', familyName: 'Berg', birthDate: '1980-02-29' };
  const line = JSON.stringify({ ...ida, email: 'ida@example.org' });
  await app.command('citizens', 'import', writeFileIn(app.dataDir, 'people.jsonl', line));
  const named = ['create', 'Tax', '--kind', 'test', '--secret', '--scopes', scopes.join(','), '--json'];
  const { clientId: client } = JSON.parse(await app.command('clients', ...named));
  const send = async (message: string, more = {}): Promise<string> => {
    const body = JSON.stringify({ citizenId: 'c-1', message, legalEffect: 'after-1-working-days', ...more });
    const headers = { 'content-type': 'application/json' };
    const answer = await app.ask('/v1/notifications/send', { client, scopes, method: 'POST', body, headers });
    assert.equal(answer.status, 202, answer.text);
    await app.settle();
    return JSON.parse(answer.text).id;
  };
  return {
    app,
    send,
    /** Advances the clock to this instant, and returns the mails until then. */
    at: async (instant: string) => {
      await app.leap(Date.parse(instant) - app.clock.now());
      return sink.mails.map(({ raw }) => /^(?:first|second|third|fourth|urgent)/m.exec(raw)?.[0]);
    },
    effectOf: async (id: string) => {
      const { text } = await app.ask(`/v1/notifications/${id}/evidence`, { client, scopes });
      return verifyEvidence(text.trim()).claims['legalEffect'];
    },
  };
}

for (const engine of engines) {
  test(`${engine.name}: quiet hours and working days use the configured time zone, even in the night when summer time starts`, async (t) => {
    const { app, send, at, effectOf } = await openInHelsinki(t, engine.name);
    // 19:59:59 on Saturday, and 20:00.
    const ids = [await send('first')];
    assert.deepEqual(await at('2026-03-28T18:00:00Z'), ['first']);
    ids.push(await send('second'));
    await send('urgent', { category: 'urgent' });
    assert.deepEqual(await at('2026-03-28T18:00:01Z'), ['first', 'urgent']);
    // 07:59:59 and 08:00 on Sunday, an hour before it would be by the time of Saturday.
    assert.deepEqual(await at('2026-03-29T04:59:59.999Z'), ['first', 'urgent']);
    assert.deepEqual(await at('2026-03-29T05:00:00Z'), ['first', 'urgent', 'second']);
    // 20:00 on Sunday is 17:00 in UTC, and half past midnight on Monday is Sunday in UTC.
    assert.deepEqual(await at('2026-03-29T17:00:00Z'), ['first', 'urgent', 'second']);
    ids.push(await send('third'));
    await at('2026-03-29T21:30:00Z');
    ids.push(await send('fourth'));
    assert.deepEqual(await at('2026-03-30T04:59:59.999Z'), ['first', 'urgent', 'second']);
    assert.deepEqual((await at('2026-03-30T05:00:00Z')).slice(3).sort(), ['fourth', 'third']);

    // Monday ends at 21:00 UTC. Periods that start on Monday count from Tuesday.
    await at('2026-03-30T20:59:59.999Z');
    assert.deepEqual(await effectOf(ids[2] ?? ''), { rule: 'after-1-working-days', basis: 'not yet' });
    await at('2026-03-31T21:00:00Z');
    const ends = await Promise.all(ids.map(effectOf));
    assert.deepEqual(
      ends.map((effect) => (effect as { effectiveAt: string }).effectiveAt),
      [...Array.from({ length: 3 }, () => '2026-03-30T21:00:00.000Z'), '2026-03-31T21:00:00.000Z'],
    );
    const counting = { from: '2026-03-29T21:30:00.000Z', workingDays: 1, timeZone };
    const notCounted = { weekdays: ['Saturday', 'Sunday'], holidays: [] };
    assert.deepEqual((ends[3] as { counting: object }).counting, { ...counting, notCounted });
    // After a clock jump unnumbered events seem to have waited for hours.
    const others = app.faults.filter((fault) => !fault.startsWith('ledger-behind'));
    assert.deepEqual(others, []);
  });
}
