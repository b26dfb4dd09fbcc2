import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeHome } from '../whole-server.ts';

for (const mode of ['demo', 'start'] as const) {
  test(`${mode}: a port that is taken ends the start with the fix, and nothing stays at work`, async (t) => {
    const [first, second] = [await makeHome(t), await makeHome(t)];
    await first.start();
    // The keys of a first start.
    await (await second.start('demo')).end('SIGTERM');
    const refused = await makeHome(t, { settings: { DATA_DIR: second.dataDir, PORT: String(first.port) } });
    const program = refused.launch(mode);
    assert.deepEqual(await program.ended, { code: 1, signal: null });
    assert.match(program.stderr(), new RegExp(`port ${first.port} of 127.0.0.1 is taken: .*, or set PORT`));
  });
}

for (const url of ['ftp://reader:s3cret@register.example/people', 'http://re%ader:s3cret@register.example/people']) {
  test(`a register at ${url.slice(0, 13)} … ends the start with the setting to mend, and its password is not shown`, async (t) => {
    const program = (await makeHome(t, { settings: { REGISTER_URL: url } })).launch('demo');
    assert.deepEqual(await program.ended, { code: 1, signal: null });
    assert.match(program.stderr(), /^REGISTER_URL: expected http/m);
    assert.ok(!program.stderr().includes('s3cret'));
  });
}
