import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { operations } from '../../src/app/operations.ts';
import { fetchOnce } from '../support/http-client.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';

// The shell commands of the page /docs, unchanged.
const letters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const textOf = (html: string) => html.replaceAll(/&([a-z0-9#]+);/g, (_whole, name: string) => letters[name] ?? '?');

/** Decoy values for the invented ids in the commands, and a token that belongs to no citizen. */
const decoyValues =
  /^(document|notification|webhook|template|verification|receipt)-not-found$|^citizen-token-needed$|^bad-request$/;

test('every command of the reference is well formed and fails only because its ids are invented', async (t) => {
  const home = await makeServerFixture(t);
  await home.start();
  await home.fetchAccessToken();
  const folder = makeTestFolder('cs-reference-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'document.pdf'), '%PDF-1.7\n%%EOF\n');
  const page = await (await fetchOnce(`${home.url}/docs`)).text();
  const { clientId, clientSecret } = home.readDemoFile().clients[0] ?? {};
  const shell = (text: string, env: NodeJS.ProcessEnv) => {
    const ran = spawnSync('bash', ['-c', text], { cwd: folder, encoding: 'utf8', timeout: 20_000, env });
    assert.equal(ran.status, 0, `${text}\n${ran.stderr}`);
    return ran.stdout;
  };
  const PATH = process.env['PATH'];
  const buying = textOf(/<pre>(TOKEN=.*?)<\/pre>/s.exec(page)?.[1] ?? '');
  const TOKEN = shell(`${buying}; echo "$TOKEN"`, { PATH, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }).trim();
  const came = new Map<string, string>();
  for (const [, name = '', line = ''] of page.matchAll(/<article id="(\w+)">.*?<pre>(.*?)<\/pre>/gs)) {
    const written = shell(textOf(line), { PATH, TOKEN });
    const { type = '', issues = [] } =
      written === '' ? {} : (JSON.parse(written) as { type?: string; issues?: Issue[] });
    const slug = type.startsWith('http') ? (type.split('/').at(-1) ?? '') : 'done';
    came.set(name, slug);
    assert.ok(slug === 'done' || decoyValues.test(slug), `${name}: ${written}`);
    // The form is valid, but the named things do not exist.
    for (const issue of issues) assert.equal(issue.code, 'not-found', `${name}: ${written}`);
  }
  assert.deepEqual([...came.keys()].sort(), operations.map(({ name }) => name).sort());
  const done = [...came].filter(([, slug]) => slug === 'done').map(([name]) => name);
  const verify = ['verifyIdentityByQuery', 'verifyIdentity', 'verifyIdentityQuery'];
  const others = ['sendNotification', 'listNotifications', 'depositDocument', 'listDocuments', 'readEvents'];
  assert.deepEqual(
    [...verify, ...others, 'createWebhook', 'createTemplate'].filter((name) => !done.includes(name)),
    [],
  );
});

type Issue = { readonly code: string };
