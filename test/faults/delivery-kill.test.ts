import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { migrate } from '../../src/db/migrate.ts';
import { systemClock } from '../../src/kernel/system-clock.ts';
import { engines } from '../support/database-engines.ts';
import { createNotificationApp } from '../support/notification-app.ts';
import { startTestSmtpServer } from '../support/smtp-server.ts';

/** `KILL_ROUNDS=10` runs more kills. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 3);
const count = 80 * rounds;
const killAfterMails = Array.from({ length: rounds }, (_, round) => 20 + 50 * round);

for (const engine of engines) {
  test(`${engine.name}: after repeated kills no mail is lost, and only a mail with an unknown outcome is sent twice`, async (t) => {
    const location = await engine.createLocation(t);
    const sink = await startTestSmtpServer(t);
    const before = await engine.openAt(location);
    await migrate(before, systemClock);
    const app = await createNotificationApp(before, systemClock, { 'cit-ada': { email: 'ada@example.org' } });
    await Promise.all(Array.from({ length: count }, () => app.accept({ citizenId: 'cit-ada' })));
    await before.close();

    const faults: string[] = [];
    const start = (): ChildProcess => {
      const child = fork(join(import.meta.dirname, './delivery-process.ts'), [engine.name, location, sink.url]);
      child.on('message', (message: { fault?: string }) => message.fault !== undefined && faults.push(message.fault));
      return child;
    };
    for (const mails of killAfterMails) {
      const child = start();
      await sink.waitForMails(mails);
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const last = start();
    await new Promise<void>((resolve) => last.on('message', (message: { done?: true }) => message.done && resolve()));
    last.kill('SIGKILL');
    await once(last, 'exit');

    const db = await engine.openAt(location);
    const rows = await db.read("select notification_id, status from delivery where channel = 'email'");
    await db.close();
    const mailed = new Map<string, number>();
    for (const { raw } of sink.mails) {
      const id = /^notification-id: (\S+)/im.exec(raw)?.[1] ?? '';
      mailed.set(id, (mailed.get(id) ?? 0) + 1);
    }
    assert.equal(rows.length, count);
    for (const row of rows) {
      const times = mailed.get(String(row['notification_id'])) ?? 0;
      if (row['status'] === 'sent') assert.equal(times, 1);
      else assert.deepEqual([row['status'], times <= 1], ['unknown', true]);
    }
    const unknown = rows.filter((row) => row['status'] === 'unknown');
    const inVain = unknown.filter((row) => !mailed.has(String(row['notification_id']))).length;
    t.diagnostic(`${killAfterMails.length} kills, ${unknown.length} of ${count} unknown, ${inVain} of them not mailed`);
    assert.ok(inVain <= killAfterMails.length * 20, 'one for each connection at each kill');
    assert.deepEqual(faults, []);
  });
}
