import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { buildLedgerApp } from '../../test/support/ledger-app.ts';
import { createEndpointRegisterProver } from './endpoint-register-proof.ts';

const endpoints = ['GET /v1/a', 'POST /v1/b'];

for (const engine of engines) {
  test(`${engine.name}: the proof of a checkpoint is created once for concurrent requests, and again after a failure`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const events = endpoints.map((endpoint) => ({
      ...({ type: 'endpoint.registered', actor: { process: 'start' }, since: '1.0', schemaHash: 'sha-256:x' } as const),
      id: app.createId('event'),
      at: app.time.now,
      endpoint,
    }));
    for (const event of events) await app.commit({ events: [event], statements: [] });
    await app.sequence();
    let [proofs, isBroken] = [0, true];
    const proveEntry: typeof app.view.proveEntry = async (...asked) => {
      proofs += 1;
      if (isBroken) throw new Error('no database');
      return await app.view.proveEntry(...asked);
    };
    const checkpoint = await app.view.publishedCheckpoint();
    const growth = createEndpointRegisterProver(
      { ...app.view, publishedCheckpoint: async () => checkpoint, proveEntry },
      app.systemKeys,
    );
    const askAtOnce = () => Promise.allSettled(Array.from({ length: 10 }, growth));
    assert.ok((await askAtOnce()).every(({ status }) => status === 'rejected'));
    assert.equal(proofs, 1);
    isBroken = false;
    const sizes = (await askAtOnce()).map((result) => result.status === 'fulfilled' && result.value?.entries.length);
    assert.deepEqual([sizes, proofs], [new Array(10).fill(2), 3]);
    await growth();
    assert.equal(proofs, 3);
  });

  test(`${engine.name}: a newer checkpoint has another proof, without entries that are not signed`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const register = async (endpoint: string) => {
      const event = { type: 'endpoint.registered', actor: { process: 'start' }, since: '1.0' } as const;
      const at = { id: app.createId('event'), at: app.time.now };
      await app.commit({ events: [{ ...event, ...at, endpoint, schemaHash: 'sha-256:x' }], statements: [] });
      await app.sequence();
    };
    let published: Awaited<ReturnType<typeof app.view.publishedCheckpoint>>;
    const growth = createEndpointRegisterProver(
      { ...app.view, publishedCheckpoint: async () => published },
      app.systemKeys,
    );
    const proof = async () => (await growth())?.entries.map(({ endpoint }) => endpoint);
    await register('GET /v1/a');
    published = await app.view.publishedCheckpoint();
    await register('POST /v1/b');
    assert.deepEqual(await proof(), ['GET /v1/a']);
    published = await app.view.publishedCheckpoint();
    assert.deepEqual(await proof(), ['GET /v1/a', 'POST /v1/b']);
  });
}
