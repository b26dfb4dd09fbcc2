import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Row } from '../../src/db/database.ts';
import { databaseFile } from '../../src/db/open-database.ts';
import { type Engine, engines } from '../support/database-engines.ts';
import { freePort } from '../support/free-port.ts';
import {
  killWithThisProcess,
  makeServerFixture,
  type RunningServer,
  type ServerFixture,
} from '../support/server-process.ts';
import { startTestSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';
import { waitUntil } from '../support/wait-until.ts';

/** `STORM=100000` runs the whole test; without it a short one runs the same code. */
const isWhole = process.env['STORM'] !== undefined;
const sends = Number(process.env['STORM'] ?? 400);
const limitMs = isWhole ? 600_000 : 120_000;
const senders = 32;
const killEveryMs = sends > 10_000 ? 4_000 : 1_500;
/** How long the whole run waits for late mails. */
const quietMs = 9_000;

/** A second process with the worker role only, as an operator may run it on PostgreSQL. */
async function startWorker(home: ServerFixture, smtpUrl: string): Promise<ChildProcess> {
  const port = String(await freePort());
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../src/main.ts'), 'start', '--roles', 'worker'],
    {
      env: {
        DATA_DIR: home.dataDir,
        DATABASE_URL: home.databaseUrl,
        SMTP_URL: smtpUrl,
        PORT: port,
        LOG_LEVEL: 'silent',
        CLAMAV: 'off',
      },
      stdio: 'ignore',
    },
  );
  if (child.pid !== undefined) killWithThisProcess(child.pid);
  return child;
}

/** Sends each notification with the same key until it is accepted; a tenth of them are repeated after that. */
async function sendUntilAccepted(home: ServerFixture, token: () => Promise<string>, number: number): Promise<string> {
  const [{ citizenId } = { citizenId: '' }] = home.readDemoFile().citizens;
  let first: string | undefined;
  for (;;) {
    try {
      const response = await fetch(`${home.url}/v1/notifications/send`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await token()}`,
          'content-type': 'application/json',
          'idempotency-key': `storm-${number}`,
        },
        body: JSON.stringify({ citizenId, message: 'Hello.', reference: `storm-${number}` }),
        signal: AbortSignal.timeout(5_000),
      });
      const answer = (await response.json()) as { id?: string };
      if (response.status === 202 && answer.id !== undefined) {
        if (first !== undefined || number % 10 !== 0) {
          assert.equal(answer.id, first ?? answer.id, 'the same key gave another notification');
          return answer.id;
        }
        first = answer.id;
        continue;
      }
      assert.ok([401, 409, 429, 503].includes(response.status), `${response.status}`);
    } catch (fault) {
      if (fault instanceof assert.AssertionError) throw fault;
    }
    await pause(100);
  }
}

/** A token for the senders, renewed each minute and after a failed request. */
function tokens(home: ServerFixture): () => Promise<string> {
  let cached: { readonly token: Promise<string>; readonly until: number } | undefined;
  return () => {
    if (cached === undefined || cached.until < performance.now()) {
      cached = { token: home.fetchAccessToken(['notifications:send']), until: performance.now() + 60_000 };
      cached.token.catch(() => {
        cached = undefined;
      });
    }
    return cached.token;
  };
}

/** On a busy machine a start may exceed its limit; it is tried again. */
async function startAgain(home: ServerFixture): Promise<RunningServer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await home.start();
    } catch (fault) {
      if (tries === 5 || !isWhole) throw fault;
    }
  }
}

/** Reads the database while the program runs. */
async function watch(home: ServerFixture): Promise<Pick<Database, 'read' | 'close'>> {
  if (home.databaseUrl !== undefined) return home.openDb();
  const file = new DatabaseSync(join(home.dataDir, databaseFile), { readOnly: true, timeout: 10_000 });
  return { read: async (sql) => file.prepare(sql).all() as Row[], close: async () => file.close() };
}

type Storm = { readonly ids: readonly string[]; readonly kills: number };

/** Sends everything while server and worker are killed in turn, and waits until no mail arrives any more. */
async function storm(t: TestContext, engine: Engine, home: ServerFixture, sink: TestSmtpServer): Promise<Storm> {
  const begun = performance.now();
  let server: RunningServer = await startAgain(home);
  let worker = engine.name === 'postgres' ? await startWorker(home, sink.url) : undefined;
  const token = tokens(home);
  const ids: string[] = [];
  let next = 0;
  let isSending = true;
  const sendSome = async () => {
    for (let number = next++; number < sends; number = next++) ids.push(await sendUntilAccepted(home, token, number));
  };
  const sending = Promise.all(Array.from({ length: senders }, sendSome)).finally(() => {
    isSending = false;
  });
  let kills = 0;
  while (isSending || kills < 2) {
    await pause(killEveryMs * (0.5 + Math.random()));
    kills += 1;
    if (worker !== undefined && kills % 2 === 0) {
      worker.kill('SIGKILL');
      await once(worker, 'exit');
      worker = await startWorker(home, sink.url);
    } else {
      await server.stop('SIGKILL');
      server = await startAgain(home);
    }
  }
  await sending;
  t.diagnostic(`accepted in ${Math.round((performance.now() - begun) / 1_000)} s`);
  // After the lease and one recovery each delivery has ended, and none is claimed again.
  const open = "select count(*) as n from delivery where channel = 'email' and status in ('queued', 'sending')";
  const watching = await watch(home);
  await waitUntil(async () => Number((await watching.read(open))[0]?.['n']) === 0, limitMs);
  await watching.close();
  if (isWhole) for (let seen = -1; seen !== sink.mails.length; await pause(quietMs)) seen = sink.mails.length;
  worker?.kill('SIGTERM');
  await server.stop('SIGTERM');
  return { ids, kills };
}

/** The result of each accepted notification, in the database and at the relay. */
async function countUp({ ids, kills }: Storm, home: ServerFixture, sink: TestSmtpServer) {
  const db = await home.openDb();
  const stored = await db.read('select reference from notification');
  const rows = await db.read("select notification_id, status from delivery where channel = 'email'");
  await db.close();
  const mailed = new Map<string, number>();
  for (const { raw } of sink.mails) {
    const id = /^notification-id: (\S+)/im.exec(raw)?.[1] ?? '';
    mailed.set(id, (mailed.get(id) ?? 0) + 1);
  }
  const states = new Map(rows.map((row) => [String(row['notification_id']), String(row['status'])]));
  const all = ids.map((id) => ({ status: states.get(id), times: mailed.get(id) ?? 0 }));
  const count = (fits: (one: (typeof all)[number]) => boolean) => all.filter(fits).length;
  return {
    sends,
    kills,
    ids: new Set(ids).size,
    notifications: stored.filter((row) => String(row['reference']).startsWith('storm-')).length,
    sent: count(({ status }) => status === 'sent'),
    unknown: count(({ status }) => status === 'unknown'),
    unknownMailed: count(({ status, times }) => status === 'unknown' && times > 0),
    lost: count(({ status, times }) => status === undefined || (status === 'sent' && times === 0)),
    twice: count(({ times }) => times > 1),
    open: count(({ status }) => status !== 'sent' && status !== 'unknown'),
  };
}

// The short run is for SQLite; delivery-kill.test.ts kills workers on PostgreSQL in every run.
for (const engine of engines.filter(({ name }) => isWhole || name === 'sqlite')) {
  test(`${engine.name}: no message of ${sends} is lost during kill -9 of server and workers, and only messages with unknown outcome are repeated`, {
    timeout: limitMs,
  }, async (t) => {
    const sink = await startTestSmtpServer(t);
    sink.setBehaviour((_to, before) => (before % 50 === 7 ? 'drop-after-data' : 'accept'));
    const home = await makeServerFixture(t, {
      engine: engine.name,
      settings: { SMTP_URL: sink.url, LOG_LEVEL: 'silent' },
    });
    const figures = await countUp(await storm(t, engine, home, sink), home, sink);
    t.diagnostic(JSON.stringify(figures));
    const { ids, notifications, lost, twice, open } = figures;
    assert.deepEqual(
      { ids, notifications, lost, twice, open },
      { ids: sends, notifications: sends, lost: 0, twice: 0, open: 0 },
    );
  });
}
