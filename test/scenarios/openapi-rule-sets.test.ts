import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openApiPath, runOpenApiLinter } from '../support/openapi-linters.ts';
import { makeTestFolder } from '../support/test-folder.ts';

type Waiver = { readonly set: string; readonly rule: string; readonly at: string; readonly reason: string };
type Finding = { readonly code: string; readonly path: readonly (string | number)[]; readonly message: string };

const spec = join(import.meta.dirname, '../../spec');
const sets = ['spectral-oas', 'owasp', 'nl-api-design-rules', 'it-modi'];
const waivers = JSON.parse(readFileSync(join(spec, 'waivers.json'), 'utf8')) as readonly Waiver[];

/** The findings of a rule set in an OpenAPI document, both errors and warnings. */
async function lint(set: string, file: string): Promise<readonly Finding[]> {
  const args = ['lint', file, '-r', join(spec, `${set}.yaml`), '-f', 'json', '--quiet'];
  const { stdout, stderr } = await runOpenApiLinter('spectral', ...args);
  assert.match(stdout, /^\[/, `spectral did not run: ${stderr}`);
  // The list ends at the last bracket. A note can follow.
  return JSON.parse(stdout.slice(0, stdout.lastIndexOf(']') + 1)) as readonly Finding[];
}

const fits = (waiver: Waiver, finding: Finding) =>
  waiver.rule === finding.code && new RegExp(waiver.at).test(finding.path.join('/'));

for (const set of sets) {
  test(`the rule set ${set} reports only waived findings, and every waiver is needed`, async () => {
    const findings = await lint(set, openApiPath);
    const own = waivers.filter((waiver) => waiver.set === set);
    const open = findings.filter((finding) => !own.some((waiver) => fits(waiver, finding)));
    assert.deepEqual(
      open.map(({ code, path, message }) => `${code} at ${path.join('/')}: ${message}`),
      [],
    );
    const idle = own.filter((waiver) => !findings.some((finding) => fits(waiver, finding)));
    assert.deepEqual(idle, []);
  });
}

test('every waiver belongs to a rule set and gives its reason in a sentence', () => {
  for (const { set, reason } of waivers) {
    assert.ok(sets.includes(set), set);
    assert.match(reason, /^[A-Z].{40,}\.$/);
  }
});

/** A document that breaks one rule of each kind, and the rules that must report it. */
const planted = [
  ['spectral-oas', 'operation-tags'],
  ['owasp', 'no-credentials-in-url'],
  ['owasp', 'owasp:api4:2023-string-limit'],
  ['nl-api-design-rules', 'nlgov:info-contact-fields-exist'],
  ['nl-api-design-rules', 'nlgov:paths-kebab-case'],
  ['nl-api-design-rules', 'nlgov:missing-version-header'],
  ['nl-api-design-rules', 'nlgov:use-problem-schema'],
  ['nl-api-design-rules', 'nlgov:problem-invalid-input'],
  ['it-modi', 'http-request-GET-no-body'],
  ['it-modi', 'servers-use-https'],
  ['it-modi', 'missing-retry-after'],
  ['it-modi', 'use-problem-json-for-errors'],
] as const;

test('every rule set reports a document that breaks its rules', async () => {
  const text = { schema: { type: 'string' } };
  const broken = {
    openapi: '3.1.0',
    info: { title: 'Broken', version: '1.0.0', contact: { name: 'Nobody' } },
    servers: [{ url: 'http://api.example.gov/v1' }],
    paths: {
      '/Some_Thing/{id}': {
        get: {
          operationId: 'readSomething',
          parameters: [
            { name: 'id', in: 'path', required: true, ...text },
            { name: 'access_token', in: 'query', ...text },
          ],
          requestBody: { content: { 'application/json': {} } },
          responses: {
            200: { description: 'Good.', headers: {}, content: { 'application/json': text } },
            503: { description: 'Bad.', headers: {}, content: { 'application/json': text } },
          },
        },
      },
    },
  };
  const file = join(makeTestFolder('cs-rules-'), 'broken.json');
  writeFileSync(file, JSON.stringify(broken));
  for (const set of sets) {
    const found = new Set((await lint(set, file)).map(({ code }) => code));
    const absent = planted.filter(([of, rule]) => of === set && !found.has(rule));
    assert.deepEqual(absent, []);
  }
});
