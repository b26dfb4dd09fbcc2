import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Statement } from '../../src/db/database.ts';
import { bytesField } from '../../src/db/row-fields.ts';
import { freePort } from '../support/free-port.ts';
import { fetchOnce } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { openStaffSite, type StaffSite } from '../support/staff-site.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { callOnNewConnection } from '../support/threaded-server.ts';
import { waitUntil } from '../support/wait-until.ts';

type Members = Readonly<Record<string, unknown>>;

/** Imports one citizen. No server runs. */
async function importCitizen(t: TestContext, { server }: StaffSite): Promise<void> {
  const folder = makeTestFolder('cs-attention-');
  t.after(() => rmSync(folder, { recursive: true }));
  const people = join(folder, 'people.csv');
  writeFileSync(people, 'citizenId,givenName,familyName,birthDate\nqx-1,Ada,Miller,1980-01-02\n');
  const { code, stderr } = await runCommandInProcess(server, 'citizens', 'import', people);
  assert.equal(code, 0, stderr);
}

const storeEntry = (entry: Uint8Array): Statement => ({
  sql: 'update ledger_entry set entry = $1 where leaf_index = 0',
  args: [entry],
});

// Only the first of the two threads has the role sequencer. Each new connection can reach either of them.
test('every thread reports the quarantine, a stopped import, and an alarm of the ledger until a restart finds the log correct', async (t) => {
  const adminPort = await freePort();
  const site = await openStaffSite(t, { settings: { API_THREADS: '2', ADMIN_PORT: String(adminPort) } });
  const token = await site.staffToken({ subject: 'olu', roles: ['operator'] });
  const read = async () =>
    (await callOnNewConnection(site.server.url, token, { path: '/v1/staff/attention' })).json as Members;
  const alarms = async () => {
    const lists: unknown[] = [];
    for (let request = 0; request < 12; request += 1) lists.push((await read())['ledgerAlarms']);
    return new Set(lists.map((list) => JSON.stringify(list)));
  };
  const areThreadsReady = async () =>
    /^citizen_services_api_threads 2$/m.test(await (await fetchOnce(`http://127.0.0.1:${adminPort}/metrics`)).text());
  const isReportedAs = (list: string) => async () => {
    const reported = await alarms();
    return reported.size === 1 && reported.has(list);
  };
  const { quarantine, stoppedImports, ledgerAlarms } = await read();
  assert.deepEqual([quarantine, stoppedImports, ledgerAlarms], [[], [], []]);

  let original: Uint8Array = Buffer.alloc(0);
  const stoppedAt = Date.parse('2026-11-20T08:00:00Z');
  await site.restart('SIGTERM', async () => {
    await importCitizen(t, site);
    const db = await site.server.openDb();
    const [first = {}] = await db.read('select entry from ledger_entry where leaf_index = 0');
    original = bytesField(first, 'entry');
    await db.write([
      {
        sql: "update document set status = 'quarantined', scan_verdict = 'infected' where id = (select min(id) from document)",
      },
      { sql: 'update register_import set finished = false, updated_at = $1 where rows_read = 1', args: [stoppedAt] },
      storeEntry(Buffer.alloc(200, 1)),
    ]);
    await db.close();
  });
  await waitUntil(areThreadsReady);
  await waitUntil(isReportedAs('["ledger-alarm"]'));
  const found = await read();
  assert.deepEqual(found['quarantine'], [{ verdict: 'infected', count: 1 }]);
  const [stopped = {}, ...others] = found['stoppedImports'] as readonly Members[];
  assert.deepEqual([stopped['rows'], stopped['stoppedAt'], others], [1, '2026-11-20T08:00:00.000Z', []]);

  await site.restart('SIGTERM', async () => {
    const db = await site.server.openDb();
    await db.write([storeEntry(original)]);
    await db.close();
  });
  await waitUntil(areThreadsReady);
  await waitUntil(isReportedAs('[]'));
});
