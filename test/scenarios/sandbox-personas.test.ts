import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { PersonaQuestion } from '../../src/cli/personas.ts';
import { openCookieBrowser, signInAtDemo } from '../support/cookie-browser.ts';
import { createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { repositoryRoot } from '../support/markdown-pages.ts';
import { fileCleanupScope, makeServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

// Verifies the statements of docs/integrate/sandbox.md with the demo server. Service teams use the same file.
const file = join(repositoryRoot, 'docs/integrate/sandbox/questions.json');
const questions = JSON.parse(readFileSync(file, 'utf8')) as (PersonaQuestion & { readonly about: string })[];

let url = '';
let decided: (claims: object) => Promise<unknown>;

const thisFile = fileCleanupScope();
before(async () => {
  const home = await makeServerFixture(thisFile);
  await home.start('demo');
  url = home.url;
  const [token, ask] = [await home.fetchAccessToken(), createHttpClient(home.url)];
  decided = async (claims) => parseJsonBody(await ask(postJson(token, '/v1/identity/verify', claims)))['decision'];
});

for (const { about, claims, decision, because } of questions) {
  test(`${claims['citizenId'] ?? 'a search'} gets ${decision}: ${about}, ${because}`, async () => {
    assert.equal(await decided(claims), decision);
  });
}

test('repeated verifications get the same results, because repeated wrong claims do not count as failures', async () => {
  for (const { claims, decision } of questions) assert.equal(await decided(claims), decision, JSON.stringify(claims));
});

test('a citizen can read why their record prevents a match', async () => {
  const lena = openCookieBrowser(url);
  await signInAtDemo(lena, 'try-locked');
  await waitUntil(async () => {
    const page = (await lena.get('/me/uses')).body.toString('utf8');
    return page.includes('Your details are locked. So nothing was confirmed.');
  });
});

test('the register is always unavailable for one simulated citizen, for any claims', async () => {
  for (const familyName of ['A', 'B', 'C', 'D', 'E', 'F', 'G']) {
    const claims = { citizenId: 'sim-register-down', familyName, birthDate: '1980-01-01' };
    assert.equal(await decided(claims), 'not_determined');
  }
});
