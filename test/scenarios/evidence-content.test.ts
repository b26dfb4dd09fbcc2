import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { parseId } from '../../src/kernel/id.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { eraseCitizen } from '../../src/ledger/erase-citizen.ts';
import { deriveContentKey, openEventContent } from '../../src/ledger/event-content.ts';
import { createTemplate } from '../../src/notifications/create-template.ts';
import { verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import { readEvidence } from '../../src/notifications/read-evidence.ts';
import { engines } from '../support/database-engines.ts';
import { createNotificationApp } from '../support/notification-app.ts';

type Engine = (typeof engines)[number];

async function open(t: TestContext, engine: Engine) {
  let now = Date.UTC(2026, 0, 15, 9);
  const clock = { now: () => now };
  const app = await createNotificationApp(await engine.open(t), clock, { 'cit-ada': { name: 'Ada' } });
  const { db, citizenKeys } = app;
  const claimsOf = async (id: string) => {
    const answer = await app.serve(readEvidence)({ params: { id } });
    assert.ok('json' in answer);
    return verifyEvidence(JSON.stringify(answer.json)).claims;
  };
  return {
    app,
    wait: (ms: number) => {
      now += ms;
    },
    erase: async () =>
      assert.equal(await eraseCitizen({ ...app, read: db.read, clock, actor: { operator: 'local' } }, 'cit-ada'), true),
    registerAgain: async () => {
      await db.write(citizenKeys.creationStatements(['cit-ada']));
      citizenKeys.evict('cit-ada');
    },
    /** Changes one byte of the stored content. */
    tamper: async (id: string) => {
      const [row] = await db.read('select content from notification where id = $1', [id]);
      const content = Buffer.from(row?.['content'] as Uint8Array);
      content[content.length - 1] = (content.at(-1) ?? 0) ^ 1;
      await db.write([{ sql: 'update notification set content = $1 where id = $2', args: [content, id] }]);
    },
    claimsOf,
    /** The claims of the bundle about the content. */
    contentClaims: async (id: string) => {
      const { content, contentDigest, erasure } = await claimsOf(id);
      return { content, digest: typeof contentDigest, erasure };
    },
  };
}

const refused = { message: /^the content of ntf_\w+ cannot be decrypted, and its citizen was not erased/ };

for (const engine of engines) {
  const check = (claim: string, body: (app: Awaited<ReturnType<typeof open>>) => Promise<void>) =>
    test(`${engine.name}: ${claim}`, async (t) => body(await open(t, engine)));

  check(
    'the ledger contains the digest of the evidence, without the salt of a text that was chosen by language',
    async ({ app, claimsOf }) => {
      const texts = ['fr', 'nl'].map((language) => ({ language, message: `((name)) ${language}` }));
      const created = await app.serve(createTemplate)({ body: { name: 'x', defaultLanguage: 'fr', texts } });
      assert.ok('json' in created);
      const template = { message: undefined, templateId: created.json['id'], personalisation: { name: 'Ada' } };
      const bodies = [{ message: 'Hello.' }, template, { ...template, language: 'nl' }, template];
      const digests = new Set<string>();
      for (const [index, body] of bodies.entries()) {
        const id = await app.accept({ citizenId: 'cit-ada', ...body });
        const { contentDigest, contentSalt, receipt } = await claimsOf(id);
        const event = parseId('event', String(receipt).split('/').at(-1) ?? '') ?? assert.fail();
        const [row] = await app.db.read('select content from ledger_event where id = $1', [event]);
        const key = deriveContentKey(await app.citizenKeys.keyOf('cit-ada'), event);
        const said = openEventContent(key, event, row?.['content'] as Uint8Array);
        assert.deepEqual([said['contentDigest'], said['notification'], said['salt']], [contentDigest, id, undefined]);
        assert.equal(typeof contentSalt, index % 2 === 0 ? 'undefined' : 'string');
        digests.add(String(contentDigest));
      }
      // Two messages with the same text and language also differ.
      assert.equal(digests.size, 4);
    },
  );

  check('no evidence is issued for altered content', async ({ app, contentClaims, tamper }) => {
    for (const citizenId of ['cit-ada', 'cit-unknown']) {
      const id = await app.accept({ citizenId });
      assert.deepEqual(await contentClaims(id), { content: 'whole', digest: 'string', erasure: undefined });
      await tamper(id);
      await assert.rejects(contentClaims(id), refused);
    }
  });

  check('content whose key is lost without an erasure is not reported as erased', async ({ app, contentClaims }) => {
    const id = await app.accept({ citizenId: 'cit-ada' });
    await app.db.write(app.citizenKeys.destructionStatements('cit-ada'));
    app.citizenKeys.evict('cit-ada');
    await assert.rejects(contentClaims(id), refused);
  });

  check('erased content is reported as erased with the event of the erasure', async ({ app, ...steps }) => {
    const id = await app.accept({ citizenId: 'cit-ada' });
    steps.wait(3_600_000);
    await steps.erase();
    const [row] = await app.db.read("select id from ledger_event where type = 'citizen.erased'", []);
    const erased = {
      content: 'erased',
      digest: 'undefined',
      erasure: { event: row?.['id'], time: '2026-01-15T10:00:00.000Z' },
    };
    assert.deepEqual(await steps.contentClaims(id), erased);
    await steps.registerAgain();
    assert.deepEqual(await steps.contentClaims(id), erased);
    steps.wait(3_600_000);
    const later = await app.accept({ citizenId: 'cit-ada' });
    assert.equal((await steps.contentClaims(later)).content, 'whole');
    await steps.tamper(later);
    await assert.rejects(steps.contentClaims(later), refused);
    // A second erasure replaces the first.
    await steps.erase();
    assert.deepEqual((await steps.contentClaims(later)).content, 'erased');
  });
}

test('the digest of the content can be computed from the sent message as docs/security/evidence.md describes', async (t) => {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  const { app, claimsOf } = await open(t, engine);
  Object.assign(app.ports, { attachmentTitle: async () => 'Notice' });
  const document = app.createId('document');
  const texts = [{ language: 'fr', subject: 'Avis', message: 'Chère ((name))' }];
  const created = await app.serve(createTemplate)({ body: { name: 'Notice', defaultLanguage: 'fr', texts } });
  assert.ok('json' in created);
  // Canonical JSON by hand: sorted names without white space.
  const cases: readonly (readonly [Record<string, unknown>, string])[] = [
    [{ message: 'Hello.' }, '{"message":"Hello."}'],
    [{ subject: 'A', message: 'Grüße' }, '{"message":"Grüße","subject":"A"}'],
    [
      { message: 'Hello.', attachments: [document] },
      `{"attachments":[{"id":"${document}","title":"Notice"}],"message":"Hello."}`,
    ],
    [
      { subject: 'For ((name))', message: 'Dear ((name))', personalisation: { name: 'Ada' } },
      '{"message":"Dear Ada","subject":"For Ada","template":"Dear ((name))","values":{"name":"Ada"}}',
    ],
    [
      { message: undefined, templateId: created.json['id'], personalisation: { name: 'Ada' } },
      '{"language":"fr","message":"Chère Ada","salt":"SALT","subject":"Avis","template":"Chère ((name))","values":{"name":"Ada"}}',
    ],
    [
      { message: undefined, templateId: created.json['id'], personalisation: { name: 'Ada' }, language: 'fr' },
      '{"language":"fr","message":"Chère Ada","subject":"Avis","template":"Chère ((name))","values":{"name":"Ada"}}',
    ],
  ];
  for (const [body, text] of cases) {
    const { contentDigest, contentSalt } = await claimsOf(await app.accept({ citizenId: 'cit-ada', ...body }));
    const canonical = text.replace('SALT', String(contentSalt));
    assert.equal(contentDigest, `sha-256:${createHash('sha256').update(canonical).digest('hex')}`, canonical);
  }
});

test('a process with an old cached key can return evidence of content that is encrypted with the new key', async (t) => {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  const { app, contentClaims, registerAgain } = await open(t, engine);
  const id = await app.accept({ citizenId: 'cit-ada' });
  const { citizenKeys } = app;
  const stale = systemRandom(32);
  Object.assign(app.ports, { citizenKeys: { ...citizenKeys, keyOf: async () => stale } });
  await registerAgain();
  assert.equal((await contentClaims(id)).content, 'whole');
});
