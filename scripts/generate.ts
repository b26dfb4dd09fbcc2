/**
 * Writes the files that are generated from code: the `pages` below, in docs/ and the client, and register.lock. With `--check`
 * it writes nothing, and fails if a file is stale or if the register lost an endpoint. With `--release` it also stores the
 * OpenAPI document as the released interface (spec/released-openapi.json).
 */
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeEndpoints, type LockedEndpoint } from '../src/api/endpoint-register.ts';
import { createOpenApiDocument } from '../src/api/openapi/document.ts';
import { operations } from '../src/app/operations.ts';
import { authMethodsOf } from '../src/auth/authenticate-client.ts';
import type { Setting } from '../src/config/setting.ts';
import { settingGroups, settingSchemas } from '../src/config/setting-schemas.ts';
import { readSettings } from '../src/config/settings.ts';
import { apiVersion } from '../src/config/version.ts';
import { problems } from '../src/kernel/problem-catalogue.ts';
import { type ApiDocument, clientFiles } from './client-types.ts';
import { brunoFiles, postmanCollection } from './collections.ts';
import { commandReferencePage } from './command-reference.ts';
import { dashboard } from './dashboard.ts';
import { renderGuideFiles } from './downloads.ts';
import { eventsPage } from './events-page.ts';
import { renderGuides } from './guides.ts';
import { breakingChanges } from './register-changes.ts';
import { requirementsPage } from './requirements.ts';
import { sandboxPage, sandboxPeople, sandboxQuestions } from './sandbox-page.ts';

const root = join(import.meta.dirname, '..');
const isCheck = process.argv.includes('--check');
const faults: string[] = [];

const endpoints = describeEndpoints(operations);
/** The settings of the operator in the OpenAPI document of the repository. */
const exampleOperator = {
  publicUrl: 'https://api.example.gov',
  apiVersion,
  supportEmail: 'api-support@example.gov',
  termsUrl: 'https://www.example.gov/api-terms',
  authMethods: authMethodsOf(false),
  documentLimit: readSettings({}).documentLimit,
};
const lockPath = join(root, 'register.lock');
if (existsSync(lockPath)) {
  // This script wrote the lock.
  const old = JSON.parse(readFileSync(lockPath, 'utf8')) as LockedEndpoint[];
  faults.push(...breakingChanges(old, endpoints).map((loss) => `register.lock: ${loss}`));
}

function settingsPage(): string {
  const schemas: readonly Setting[] = Object.values(settingSchemas);
  const groups = Object.entries(settingGroups).map(([title, group]) => {
    const others: readonly Setting[] = Object.values<Setting>(group).filter(({ essential }) => !essential);
    return others.length === 0 ? '' : `\n## ${title}\n\n${settingTable(others)}`;
  });
  return `# Settings

The server reads its settings once, at start. For each setting it uses the first of these sources that has a value:

1. the environment variable \`NAME\`
2. for secrets, the file whose path is in the environment variable \`NAME_FILE\`
3. the file whose path is in the environment variable <a id="settings_file"></a>\`SETTINGS_FILE\`: lines of the form \`NAME=value\`, and comments that start with \`#\`
4. the default

A blank value counts as absent. An invalid value prevents the start; the error message names the setting and what it expects.
\`citizen-services doctor\` checks all settings. \`npm run generate\` writes this page.

## Settings of every installation

${settingTable(schemas.filter(({ essential }) => essential))}${groups.join('')}`;
}

function settingTable(settings: readonly Setting[]): string {
  const rows = settings.map((setting) => {
    const anchor = setting.name.toLowerCase();
    const file = setting.type.isSecret ? ` <a id="${anchor}_file"></a>Also as \`${setting.name}_FILE\`.` : '';
    const defaultValue = setting.default ? `\`${setting.default}\`` : '';
    return `| <a id="${anchor}"></a>\`${setting.name}\` | ${defaultValue} | ${setting.description}${file} |`;
  });
  return `| setting | default | meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
}

function problemsPage(): string {
  const rows = Object.entries(problems).map(
    ([slug, problem]) =>
      `| \`${slug}\` | ${problem.status} | ${problem.retryable ? 'yes' : 'no'} | ${problem.cause} | ${problem.fix} |`,
  );
  return `# Problems

Every error response is \`application/problem+json\` (RFC 9457). Its \`type\` is \`/problems/{name}\` on the server. Written by
\`npm run generate\`.

| name | status | retry | cause | fix |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

function endpointsPage(): string {
  const rows = endpoints.map(
    (entry) =>
      `| ${entry.since} | \`${entry.method} ${entry.path}\` | ${entry.scope === null ? 'none' : `\`${entry.scope}\``} | ${entry.callers.join(', ')} | ${entry.summary} |`,
  );
  return `# Register of endpoints

Append-only: an endpoint is never removed, moved or narrowed. \`register.lock\` makes the build fail if one is. The running
server publishes the same list at \`GET /v1\`. \`callers\` says whose access token an endpoint accepts: a token of a client that
acts for itself, or a token that names a citizen. Written by \`npm run generate\`.

| since | endpoint | scope | callers | purpose |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

const requirements = requirementsPage(root);
faults.push(...requirements.faults);

const brunoFolder = 'docs/integrate/collections/bruno';

const document = createOpenApiDocument(operations, exampleOperator);
const pages: Record<string, string> = {
  'docs/reference/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'docs/reference/settings.md': settingsPage(),
  'docs/reference/problems.md': problemsPage(),
  'docs/reference/endpoints.md': endpointsPage(),
  'docs/reference/events.md': eventsPage(),
  'docs/reference/requirements.md': requirements.text,
  'docs/reference/commands.md': await commandReferencePage(),
  'docs/operate/dashboard.json': dashboard(),
  'docs/integrate/sandbox.md': sandboxPage(),
  'docs/integrate/sandbox/people.jsonl': sandboxPeople(),
  'docs/integrate/sandbox/questions.json': sandboxQuestions(),
  'docs/integrate/collections/postman.json': postmanCollection(),
  ...Object.fromEntries(Object.entries(brunoFiles()).map(([path, text]) => [`${brunoFolder}/${path}`, text])),
  'src/web/guides.json': renderGuides(root),
  'src/web/guide-files.json': renderGuideFiles(),
  'register.lock': `${JSON.stringify(endpoints, null, 2)}\n`,
  // The client is generated from the JSON, which has no undefined members.
  ...clientFiles(JSON.parse(JSON.stringify(document)) as ApiDocument),
};

if (process.argv.includes('--release')) {
  const released = withoutExamples(document);
  pages['spec/released-openapi.json'] = `${JSON.stringify(released)}\n`;
}

/** Clients do not rely on examples, which are a third of the document. */
function withoutExamples(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExamples);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'example' && name !== 'examples');
  return Object.fromEntries(members.map(([name, member]) => [name, withoutExamples(member)]));
}

for (const path of globSync(`${brunoFolder}/**/*.yml`, { cwd: root })) {
  // A runner would still send the request of a file that is left from an earlier name.
  if (pages[path] === undefined) faults.push(`${path} is not generated any more: delete it`);
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
