import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { engines } from '../support/database-engines.ts';
import { fetchOnce } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { openStrictS3Server } from '../support/strict-s3-server.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

/** How often the server has logged a fault of the documents. */
async function faultsOf(said: string): Promise<string | undefined> {
  const [address = assert.fail(said)] = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(said) ?? [];
  const metrics = await (await fetchOnce(address)).text();
  return /^citizen_services_faults_total\{kind="documents"\} (\d+)$/m.exec(metrics)?.[1];
}

/** The status and problem name for the first document of the demo, and for a deposit. */
async function outcomes(home: ServerFixture): Promise<string[]> {
  const [document = assert.fail()] = home.readDemoFile().documents;
  const authorization = `Bearer ${await home.fetchAccessToken()}`;
  const { citizenId } = document;
  const headers = { authorization, 'content-type': 'text/plain', 'citizen-id': citizenId, 'document-title': 'x' };
  const deposit = { method: 'POST', headers: { ...headers, 'document-kind': 'permit' }, body: 'x' };
  const answers = [
    await fetch(`${home.url}/v1/documents/${document.id}`, { headers: { authorization } }),
    await fetch(`${home.url}/v1/documents`, deposit),
  ];
  return await Promise.all(
    answers.map(async (answer) => {
      const { type = '' } = answer.ok ? {} : ((await answer.json()) as { type: string });
      return `${answer.status} ${type.slice(type.lastIndexOf('/') + 1)}`.trim();
    }),
  );
}

for (const { name } of engines) {
  test(`${name}: a start and doctor report a folder without the documents of the database, and nothing is stored there`, async (t) => {
    const home = await makeServerFixture(t, { engine: name, settings: { ADMIN_PORT: '0', API_THREADS: '1' } });
    const missingDocuments = /the database has documents, but .*documents has none of the newest/;
    const well = await home.start();
    assert.equal(await faultsOf(`${well.stdout()}${well.stderr()}`), '0');
    // Simulates that the disk of the documents is unmounted and mounted again.
    const folder = join(home.dataDir, 'documents');
    const elsewhere = join(home.dataDir, 'mounted-elsewhere');
    renameSync(folder, elsewhere);
    mkdirSync(folder);
    assert.deepEqual(await outcomes(home), ['503 document-unreadable', '503 capacity-reduced']);
    // Like files below a mount point from a start before the mount.
    for (const name of ['incoming', 'sealed']) mkdirSync(join(folder, name));
    assert.deepEqual(await outcomes(home), ['503 document-unreadable', '503 capacity-reduced']);
    await well.stop('SIGTERM');
    // One line for all failures: a minute later it would be logged again.
    assert.deepEqual(well.stderr().match(/"where":"document[^"]*"/g), ['"where":"documents"']);
    assert.match((await runCommandInProcess(home, 'doctor')).stdout, missingDocuments);

    const server = await home.start();
    const reported = new RegExp(`"where":"documents","fault":.*${missingDocuments.source}`);
    await waitUntil(async () => reported.test(server.stderr()));
    // The start reports it before there are metrics; the sweep may have reported it too.
    assert.match((await faultsOf(`${server.stdout()}${server.stderr()}`)) ?? '', /^[1-9]$/);
    assert.deepEqual(await outcomes(home), ['503 document-unreadable', '503 capacity-reduced']);
    assert.deepEqual(readdirSync(folder, { recursive: true }).sort(), ['incoming', 'sealed']);
    // If the documents are lost for good, the operator confirms it.
    writeFileSync(join(folder, 'begin-anew'), '');
    assert.deepEqual(await outcomes(home), ['503 document-unreadable', '201']);
    rmSync(folder, { recursive: true });
    renameSync(elsewhere, folder);
    assert.deepEqual(await outcomes(home), ['200', '201']);
    await server.stop('SIGTERM');
    // After a new beginning; until then missing blobs mean a missing mount.
    assert.equal(server.stderr().match(/"where":"document-bytes-broken"/g)?.length, 1);
    assert.doesNotMatch((await runCommandInProcess(home, 'doctor')).stdout, missingDocuments);
  });
}

async function bucketOf(t: TestContext) {
  const folder = makeTestFolder('s3-');
  const s3 = await openStrictS3Server(folder);
  t.after(async () => {
    await s3.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { accessKeyId, bucket, endpoint, region, secretAccessKey } = s3.place;
  return {
    keys: { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey.reveal() },
    place: (name: string, prefix = '') => `s3://${name}${prefix}?region=${region}&endpoint=${endpoint}`,
    bucket,
  };
}

test('a start and doctor report a missing bucket and the bucket of another installation', async (t) => {
  const { keys, place, bucket } = await bucketOf(t);
  const home = await makeServerFixture(t, { settings: { ...keys, DOCUMENT_STORE: place(bucket), ADMIN_PORT: '0' } });
  const well = await home.start();
  assert.deepEqual(await outcomes(home), ['200', '201']);
  await well.stop('SIGTERM');
  for (const [store, why] of [
    [place(bucket, '/another'), `the database has documents, but s3://${bucket}/another has none of the newest`],
    [place('nowhere'), 'NoSuchBucket'],
  ] as const) {
    home.environment['DOCUMENT_STORE'] = store;
    assert.match((await runCommandInProcess(home, 'doctor')).stdout, new RegExp(why));
    const server = await home.start();
    await waitUntil(async () => server.stderr().includes('"where":"documents"'));
    assert.match(server.stderr(), new RegExp(`"where":"documents","fault":.*${why}`));
    assert.equal((await outcomes(home))[0], '503 document-unreadable');
    await server.stop('SIGTERM');
  }
});
