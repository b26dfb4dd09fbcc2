import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { httpLimits } from '../../src/api/guard.ts';
import { loadLimits } from '../../src/api/load-shedding.ts';
import { scopes } from '../../src/api/operation.ts';
import { jsonBodyLimit } from '../../src/api/read-body.ts';
import { commandLine } from '../../src/app/command-line.ts';
import { operations } from '../../src/app/operations.ts';
import { staffScopes } from '../../src/auth/caller.ts';
import { defaultQuota } from '../../src/auth/quota.ts';
import { settingSchemas } from '../../src/config/setting-schemas.ts';
import { readSettings } from '../../src/config/settings.ts';
import { problems } from '../../src/kernel/problem-catalogue.ts';
import { deliveryStatuses, notificationStatuses } from '../../src/notifications/notification/notification.ts';
import { reasonCodes, reasonOf } from '../../src/notifications/notification/reason.ts';
import { handwrittenPages, type MarkdownPage, readMarkdownPage, repositoryRoot } from '../support/markdown-pages.ts';

// Files, commands, settings and limits that the documentation names must exist.
const pages = handwrittenPages();

/** All faults of the pages, in the form `page: fault`. */
function faultsIn(look: (page: MarkdownPage) => readonly string[], of = pages): string[] {
  return of.flatMap((page) => look(page).map((fault) => `${page.path}: ${fault}`));
}

test('every link between pages leads to an existing page and heading', () => {
  const faults = faultsIn(({ path, prose }) =>
    [...prose.matchAll(/\]\((?!https?:|mailto:)([^)#]*)(?:#([^)]*))?\)/g)].flatMap(([, file = '', anchor]) => {
      const target = file === '' ? path : normalize(join(dirname(path), file));
      if (!existsSync(join(repositoryRoot, target))) return [`links ${target}, which is not there`];
      return anchor === undefined || anchorsOf(target).has(anchor) ? [] : [`${target} has no heading #${anchor}`];
    }),
  );
  assert.deepEqual(faults, []);
});

function anchorsOf(path: string): ReadonlySet<string> {
  const { text, prose } = readMarkdownPage(path);
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)]);
}

test('every page and heading that the code refers to exists', () => {
  const faults = globSync('src/**/*.ts', { cwd: repositoryRoot }).flatMap((file) =>
    [...readFileSync(join(repositoryRoot, file), 'utf8').matchAll(/\b(docs\/[\w/-]+\.md)(?:#([a-z-]+))?/g)].flatMap(
      ([, path = '', anchor]) => {
        if (!existsSync(join(repositoryRoot, path))) return [`${file} names ${path}`];
        return anchor === undefined || anchorsOf(path).has(anchor) ? [] : [`${file} names ${path}#${anchor}`];
      },
    ),
  );
  assert.deepEqual(faults, []);
});

const files = globSync('{src,test,scripts,bench,docs,.ci,client/src}/**/*', {
  cwd: repositoryRoot,
  exclude: ['**/node_modules'],
});
const names = new Set(files.map((file) => basename(file)));
/** File names that pages mention as forbidden. */
const banned = new Set(['index.ts', 'utils.ts', 'types.ts']);

test('every repository path that a page names exists', () => {
  const faults = faultsIn(({ codeSpans }) =>
    codeSpans.flatMap((span) => {
      if (/[…*<>]|NNNN/.test(span)) return [];
      if (/^(src|test|scripts|bench|docs|\.ci|client)(\/[\w.-]*)*$/.test(span))
        return existsSync(join(repositoryRoot, span)) ? [] : [`names ${span}`];
      if (/^[\w-]+(\/[\w.-]+)+\.(ts|sql)$/.test(span))
        return existsSync(join(repositoryRoot, 'src', span)) ? [] : [`names ${span}`];
      if (/^\w[\w.-]*\.(ts|sql)$/.test(span)) return names.has(span) || banned.has(span) ? [] : [`names ${span}`];
      return [];
    }),
  );
  assert.deepEqual(faults, []);
  assert.deepEqual(
    [...banned].filter((name) => names.has(name)),
    [],
  );
});

test('every function that a page names with a file is declared in that file', () => {
  const faults = faultsIn(({ prose }) => {
    const after = [...prose.matchAll(/`(src\/[\w/-]+\.ts)`\s`(\w+)`/g)].map(([, file, name]) => [file, name] as const);
    const before = [...prose.matchAll(/`(\w+)`\s(?:in|of)\s`(src\/[\w/-]+\.ts)`/g)].map(
      ([, name, file]) => [file, name] as const,
    );
    return [...after, ...before].flatMap(([file = '', name = '']) =>
      new RegExp(`(?:function\\*?|const|type) ${name}\\b`).test(readFileSync(join(repositoryRoot, file), 'utf8'))
        ? []
        : [`${file} has no ${name}`],
    );
  });
  assert.deepEqual(faults, []);
});

test('every test title that a page quotes exists', () => {
  const faults = faultsIn(({ prose }) =>
    [...prose.matchAll(/`([\w/.-]+\.test\.ts)` "([^"]+)"/g)].flatMap(([, file = '', title = '']) =>
      readFileSync(join(repositoryRoot, file), 'utf8').includes(title) ? [] : [`${file} has no test "${title}"`],
    ),
  );
  assert.deepEqual(faults, []);
});

test('the overview in ARCHITECTURE.md lists every folder of src', () => {
  const { prose } = readMarkdownPage('ARCHITECTURE.md');
  const folders = readdirSync(join(repositoryRoot, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  assert.deepEqual(
    folders.map(({ name }) => name).filter((name) => !prose.includes(`| \`src/${name}/\``)),
    [],
  );
});

test('the README needs exactly two commands for the setup, and fits on two screens', () => {
  const { fences, text } = readMarkdownPage('README.md');
  const setUp = fences.filter(({ info }) => info === 'sh').map((fence) => fence.text.trim());
  assert.deepEqual(setUp, ['npm ci && npm start', 'npm ci && npm test']);
  assert.ok(text.split('\n').length <= 91);
});

/** The standard output of the command line for these arguments. */
async function printed(...args: readonly string[]): Promise<string> {
  let out = '';
  const stdout = (text: string) => {
    out += text;
  };
  await commandLine(args, {}, { stdout, stderr: () => undefined, isInteractive: false, cwd: repositoryRoot });
  return out;
}

test('help lists every command and option that a page names', async () => {
  const help = await printed('help');
  const commands = [...help.matchAll(/^ {2}(\S+(?: \S+)*) {2,}/gm)].map(([, name = '']) => name);
  assert.ok(commands.length > 5);
  const faults: string[] = [];
  for (const page of pages) {
    const lines = [...page.codeSpans, ...page.fences.flatMap(({ text }) => text.replaceAll('\\\n', ' ').split('\n'))];
    for (const line of lines) {
      const [, order] = /(?:\bcli -- |^cs )(?!"\$@")(\S.*)$/.exec(line) ?? [];
      if (order === undefined || /^(help|COMMAND)\b/.test(order)) continue;
      const command = commands.find((name) => `${order} `.startsWith(`${name} `));
      if (command === undefined) faults.push(`${page.path}: ${order}`);
      else faults.push(...(await unknownOptions(order, command)).map((option) => `${page.path}: ${command} ${option}`));
    }
  }
  assert.deepEqual(faults, []);
});

async function unknownOptions(order: string, command: string): Promise<string[]> {
  const help = await printed(...command.split(' '), '--help');
  const options = order.match(/--[a-z][a-z-]*/g) ?? [];
  return options.filter((option) => !help.includes(option));
}

test('every npm script that a page names exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as { scripts: object };
  const faults = faultsIn(({ text }) =>
    [...text.matchAll(/\bnpm (?:--prefix \S+ )?run (?:-s )?([a-z]+)/g)].flatMap(([, name = '']) =>
      Object.hasOwn(scripts, name) ? [] : [`npm run ${name}`],
    ),
  );
  assert.deepEqual(faults, []);
});

/** Names in capitals with an underscore that are not settings of the server. */
const otherNames = [
  'SETTINGS_FILE',
  'NAME_FILE',
  'BASE_URL',
  'CLIENT_ID',
  'CLIENT_SECRET',
  'DELIVERY_ID',
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_SYSTEM_CA',
];

/** The environment variables that tests and scripts read. */
function namesOfTests(): string[] {
  return globSync(['{test,scripts,bench}/**/*.ts', 'src/**/*.test.ts'], {
    cwd: repositoryRoot,
    exclude: ['**/node_modules'],
  }).flatMap((file) =>
    [...readFileSync(join(repositoryRoot, file), 'utf8').matchAll(/process\.env\['([A-Z_]+)'\]/g)].map(
      ([, name = '']) => name,
    ),
  );
}

test('every setting that a page names exists', () => {
  const known = new Set([
    ...otherNames,
    ...namesOfTests(),
    ...Object.values(settingSchemas).flatMap(({ name, type }) =>
      'isSecret' in type && type.isSecret ? [name, `${name}_FILE`] : [name],
    ),
  ]);
  const faults = faultsIn(({ codeSpans, fences }) => {
    const inSpans = codeSpans.flatMap((span) => /^([A-Z]+(?:_[A-Z]+)+)(?:$|=|\/)/.exec(span)?.[1] ?? []);
    const inFiles = fences.filter(({ info }) => info === '').flatMap(({ text }) => text.match(/^[A-Z_]+(?==)/gm) ?? []);
    return [...inSpans, ...inFiles].filter((name) => !known.has(name));
  });
  assert.deepEqual(faults, []);
});

test('every endpoint, scope and problem that a page names exists', () => {
  const plain = (path: string) => path.replace(/\?.*$/, '').replaceAll(/\{\w+\}/g, '{}');
  const endpoints = new Set(operations.map(({ method, path }) => `${method} ${plain(path)}`));
  const faults = faultsIn(({ codeSpans, prose }) => [
    ...codeSpans
      .filter((span) => /^(GET|POST|QUERY|DELETE) \/v1/.test(span))
      .filter((span) => !endpoints.has(plain(span))),
    ...codeSpans.filter(
      (span) =>
        /^(?!node:)[a-z]+:[a-z]+(:[a-z]+)?$/.test(span) && ![...scopes, ...staffScopes].some((one) => one === span),
    ),
    ...misnamedProblems(prose),
  ]);
  assert.deepEqual(faults, []);
});

function misnamedProblems(prose: string): string[] {
  const statuses = new Map(Object.entries(problems).map(([slug, { status }]) => [slug, String(status)]));
  return [...prose.matchAll(/\b([45]\d\d) `([a-z-]+)`/g)].flatMap(([, status = '', slug = '']) =>
    statuses.get(slug) === status ? [] : [`${status} ${slug}`],
  );
}

test('docs/integrate/send.md lists every status, and every reason with who has to act', () => {
  const { prose } = readMarkdownPage('docs/integrate/send.md');
  const missing = [...notificationStatuses, ...deliveryStatuses].filter((status) => !prose.includes(`\`${status}\``));
  assert.deepEqual(missing, []);
  const rows = prose.split('\n').filter((line) => line.startsWith('| `'));
  const faults = reasonCodes.filter((code) => {
    const { retryable, whoActs } = reasonOf(code);
    return !rows.some(
      (row) => row.includes(`\`${code}\``) && row.includes(`| ${retryable ? 'yes' : 'no'} | ${whoActs}`),
    );
  });
  assert.deepEqual(faults, []);
});

test('docs/operate/capacity.md states every limit with its current value', () => {
  const { prose } = readMarkdownPage('docs/operate/capacity.md');
  const limits = prose.slice(prose.indexOf('## Limits and quotas'), prose.indexOf('## Metrics'));
  const { uriBytes, headerBytes, headersTimeoutMs, requestTimeoutMs, connections } = httpLimits;
  const { documentLimit } = readSettings({});
  const numbers = [uriBytes, headerBytes, jsonBodyLimit, documentLimit, connections, loadLimits.inFlight];
  const expected = [
    ...[...numbers, defaultQuota.perSecond].map((number) => number.toLocaleString('en')),
    ...[`${headersTimeoutMs / 1_000} s`, `${requestTimeoutMs / 1_000} s`, `${loadLimits.loopDelayMs} ms`],
  ];
  assert.deepEqual(
    expected.filter((limit) => !limits.includes(limit)),
    [],
  );
});
