/**
 * Writes the files that are generated from code: `pages` below, in docs/ and the client, and register.lock. With `--check` it
 * writes nothing and fails if a file is stale or if the register lost an entry. With `--release` it also stores the OpenAPI
 * document as the interface that later versions must keep (spec/released-openapi.json).
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { breakingChanges, describeEndpoints, type LockedEndpoint } from '../src/api/endpoint-register.ts';
import { createOpenApiDocument } from '../src/api/openapi/document.ts';
import { operations } from '../src/app/operations.ts';
import { settingTable } from '../src/config/setting-table.ts';
import { readSettings } from '../src/config/settings.ts';
import { apiVersion } from '../src/config/version.ts';
import { problems } from '../src/kernel/problem-catalogue.ts';
import { type ApiDocument, clientFiles } from './client-types.ts';
import { dashboard } from './dashboard.ts';
import { requirementsPage } from './requirements.ts';
import { sandboxPage, sandboxPeople, sandboxQuestions } from './sandbox-page.ts';

const root = join(import.meta.dirname, '..');
const isCheck = process.argv.includes('--check');
const faults: string[] = [];

const endpoints = describeEndpoints(operations);
/** Example settings of an operator, for the OpenAPI document in the repository. */
const exampleOperator = {
  publicUrl: 'https://api.example.gov',
  apiVersion,
  supportEmail: 'api-support@example.gov',
  termsUrl: 'https://www.example.gov/api-terms',
  documentLimit: readSettings({}).documentLimit,
};
const lockPath = join(root, 'register.lock');
if (existsSync(lockPath)) {
  // This script wrote the lock.
  const old = JSON.parse(readFileSync(lockPath, 'utf8')) as LockedEndpoint[];
  faults.push(...breakingChanges(old, endpoints).map((loss) => `register.lock: ${loss}`));
}

function settingsPage(): string {
  const rows = Object.entries(settingTable).map(([name, setting]) => {
    const file = 'secret' in setting ? ` <a id="${name.toLowerCase()}_file"></a>Also as \`${name}_FILE\`.` : '';
    const fallback = setting.fallback === undefined || setting.fallback === '' ? '' : `\`${setting.fallback}\``;
    return `| <a id="${name.toLowerCase()}"></a>\`${name}\` | ${fallback} | ${setting.help}${file} |`;
  });
  return `# Settings

Read once, at start: environment over \`NAME_FILE\` (secrets) over the file in <a id="settings_file"></a>\`SETTINGS_FILE\` (lines \`NAME=value\`) over
the default. A wrong value stops the start with its name and what was expected. Made by \`npm run generate\`.

| setting | default | meaning |
|---|---|---|
${rows.join('\n')}
`;
}

function problemsPage(): string {
  const rows = Object.entries(problems).map(
    ([slug, problem]) =>
      `| \`${slug}\` | ${problem.status} | ${problem.retryable ? 'yes' : 'no'} | ${problem.cause} | ${problem.fix} |`,
  );
  return `# Problems

Every error answer is \`application/problem+json\` (RFC 9457); its \`type\` is \`/problems/{name}\` on the server. Made by
\`npm run generate\`.

| name | status | retry | cause | fix |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

function endpointsPage(): string {
  const rows = endpoints.map(
    (entry) =>
      `| ${entry.since} | \`${entry.method} ${entry.path}\` | ${entry.scope === null ? 'none' : `\`${entry.scope}\``} | ${entry.summary} |`,
  );
  return `# Register of endpoints

Append-only: an entry is never taken out, moved or narrowed; \`register.lock\` makes the build fail when one is. The running
server publishes the same list at \`GET /v1\`. Made by \`npm run generate\`.

| since | endpoint | scope | purpose |
|---|---|---|---|
${rows.join('\n')}
`;
}

const requirements = requirementsPage(root);
faults.push(...requirements.faults);

const document = createOpenApiDocument(operations, exampleOperator);
const pages: Record<string, string> = {
  'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'docs/settings.md': settingsPage(),
  'docs/problems.md': problemsPage(),
  'docs/endpoints.md': endpointsPage(),
  'docs/api-requirements.md': requirements.text,
  'docs/dashboard.json': dashboard(),
  'docs/sandbox.md': sandboxPage(),
  'docs/sandbox/people.jsonl': sandboxPeople(),
  'docs/sandbox/questions.json': sandboxQuestions(),
  'register.lock': `${JSON.stringify(endpoints, null, 2)}\n`,
  // The document as readers see it: JSON has no undefined members.
  ...clientFiles(JSON.parse(JSON.stringify(document)) as ApiDocument),
};

if (process.argv.includes('--release')) {
  const released = withoutExamples(document);
  pages['spec/released-openapi.json'] = `${JSON.stringify(released)}\n`;
}

/** Later versions may change examples, and examples are a third of the document. */
function withoutExamples(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExamples);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'example' && name !== 'examples');
  return Object.fromEntries(members.map(([name, member]) => [name, withoutExamples(member)]));
}

for (const [path, text] of Object.entries(pages)) {
  const file = join(root, path);
  const current = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (current === text) continue;
  if (isCheck) faults.push(`${path} is stale: run npm run generate and commit it`);
  else if (faults.length === 0) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exitCode = 1;
} else {
  console.log(`generate: ${Object.keys(pages).length} pages ${isCheck ? 'are up to date' : 'written'}`);
}
