import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { openClientCommands, readPendingEvents } from '../../test/support/run-command.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { createClientCache } from '../auth/client-cache.ts';

const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
const jwtOf = (payload: object, header: object = { typ: 'rc-wrp+jwt', alg: 'ES256' }) =>
  `${part(header)}.${part(payload)}.c2lnbmF0dXJl`;

for (const engine of engines) {
  test(`${engine.name}: a purpose has the registration certificate of its file, until the purpose or the certificate is removed`, async (t) => {
    const line = await openClientCommands(t, engine);
    const { db, clock, run } = line;
    const folder = makeTestFolder('certificates-');
    const jwt = jwtOf({ sub: 'permits', exp: clock.at / 1000 + 60 });
    const fileOf = async (name: string, text: string) => {
      const file = join(folder, name);
      await writeFile(file, text);
      return file;
    };
    const valid = await fileOf('permit.jwt', `${jwt}\n`);
    const flags = ['--scopes', 'identity:verify', '--secret', '--purposes', 'permit,tax', '--json'];
    const { clientId } = JSON.parse((await run('clients', 'create', 'Permits', ...flags)).stdout);
    const set = (purpose: string, file: string) =>
      run('clients', 'purposes', clientId, purpose, '--registration-certificate', file);
    const certificateOf = async (purpose: string) => {
      const cache = createClientCache(db.read, { now: () => clock.at });
      await cache.refresh();
      return cache.registrationCertificateOf(clientId, purpose);
    };
    assert.match((await set('permit', valid)).stderr, /^Changed registrationCertificates of permits-/);
    assert.deepEqual(
      [await certificateOf('permit'), await certificateOf('tax'), await certificateOf('toString')],
      [jwt, undefined, undefined],
    );
    const event = (await readPendingEvents(line)).at(-1);
    assert.deepEqual(event?.['changed'], ['registrationCertificates']);
    assert.equal((await run('clients', 'update', clientId, '--purposes', 'permit,parking')).code, 0);
    assert.equal(await certificateOf('permit'), jwt);
    assert.equal((await set('permit', 'none')).code, 0);
    assert.equal(await certificateOf('permit'), undefined);
    assert.equal((await set('permit', valid)).code, 0);
    assert.equal((await run('clients', 'update', clientId, '--purposes', 'parking')).code, 0);
    assert.equal(await certificateOf('permit'), undefined);

    const refused = async (purpose: string, file: string) => {
      const { code, stderr } = await set(purpose, file);
      assert.equal(code, 2, stderr);
      return stderr;
    };
    assert.match(await refused('permit', valid), /Expected a purpose of permits-\w+ \(parking\), received "permit"/);
    assert.match(await refused('parking', await fileOf('a', 'no JWT')), /expected one compact JWT/);
    assert.match(await refused('parking', await fileOf('b', jwtOf({}, { typ: 'JWT' }))), /expected the type rc-wrp/);
    assert.match(
      await refused('parking', await fileOf('c', jwtOf({ exp: clock.at / 1000 }))),
      /expected a valid certificate, but it has expired/,
    );
    // A certificate that has expired is not sent.
    assert.equal((await set('parking', valid)).code, 0);
    assert.equal(await certificateOf('parking'), jwt);
    clock.at += 60_000;
    assert.equal(await certificateOf('parking'), undefined);
  });
}
