/**
 * Keeps the house of ARCHITECTURE.md: imports point down and nothing beside, no barrels, no drawers, no cycles, no file
 * over 300 lines, settings read in one place; the client stands alone. Prints the remedy with each fault. Run by `npm run check`.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';

const ranks: readonly (readonly string[])[] = [
  ['kernel', 'locales'],
  ['config', 'crypto', 'db'],
  ['jobs', 'ledger', 'auth'],
  ['api'],
  ['identity', 'notifications', 'documents', 'audit', 'wallet'],
  ['staff'],
  ['web', 'cli'],
];
/** Sees everything, with `src/main.ts` and the other files at the top of `src`. */
const topLevelFolders = ['app'];
const genericNames = ['index', 'utils', 'util', 'helpers', 'helper', 'common', 'types', 'shared', 'misc'];
const adapters = [
  /^db\/(sqlite\/(?!copy-sqlite-file|database-lock|integrity-check)|postgres\/)/,
  /^notifications\/channels\//,
  /^documents\/blobs\/(folder|s3)/,
  /^documents\/scan\/clamd/,
  /^identity\/register-adapters\//,
];
const maximumLines = 400;
/** Made by scripts/generate.ts and read by nobody from top to bottom: as long as the interface is. */
const generated = ['client/src/api-types.ts'];

const root = join(import.meta.dirname, '..');
const problems: string[] = [];
const graph = new Map<string, string[]>();

function reportProblem(file: string, text: string, fix: string): void {
  problems.push(`${relative(root, file)}: ${text}\n    → ${fix}`);
}

function rankOf(path: string): number {
  const folder = path.split('/')[0] ?? '';
  const rank = ranks.findIndex((folders) => folders.includes(folder));
  return path.includes('/') && !topLevelFolders.includes(folder) ? rank : ranks.length;
}

const checked = globSync('{src,test,scripts,bench,client/src}/**/*.ts', { cwd: root, exclude: ['**/node_modules'] });
for (const path of checked) checkFile(join(root, path));

function checkFile(file: string): void {
  const text = readFileSync(file, 'utf8');
  const lines = text.split('\n').length - 1;
  const path = relative(root, file);
  const name = basename(file).replace(/(\.test)?\.ts$/, '');
  if (lines > maximumLines && !generated.includes(path))
    reportProblem(file, `${lines} lines`, `split it by idea: at most ${maximumLines} lines a file`);
  if (genericNames.includes(name)) reportProblem(file, 'a drawer', 'name the file after the one thing it holds');
  if (path !== join('test', 'compile-errors.ts') && /^\s*\/[/*]+\s*@ts-/m.test(text))
    reportProblem(file, 'a silenced type', 'prove it to the compiler');
  if (path.startsWith('client') && !path.endsWith('.test.ts')) checkClientImports(file, text);
  if (!path.startsWith('src')) return;
  if (rankOf(relative('src', path)) < 0)
    reportProblem(file, 'a folder without a rank', 'give it one, here and in ARCHITECTURE.md');
  // A comment begins its line: within one, these may be part of a text.
  const body = text.replaceAll(/^\s*(\/\*[\s\S]*?\*\/|\/\/.*$)/gm, '').trim();
  if (/^(import [^;]+;\s*)*(export (type )?(\*|\{[^}]*\})[^;{}]*;\s*)+$/.test(body))
    reportProblem(file, 'a barrel', 'import the file that has it');
  const mayReadEnvironment = /^src\/(main\.ts|config\/)/.test(path) || path.endsWith('.test.ts');
  if (!mayReadEnvironment && /\bprocess(\.env\b|\[)|= process\b(?!\.)|'(node:)?process'/.test(body))
    reportProblem(file, 'reads process.env', 'take a setting from config/settings.ts');
  const isTest = path.endsWith('.test.ts');
  if (
    !isTest &&
    !/system-clock|api\/log\.ts/.test(path) &&
    /\b(Date\.now|Math\.random|randomUUID|new Date)\(\)/.test(body)
  ) {
    reportProblem(file, 'takes time or randomness', 'ask for a Clock, Random or Mint');
  }
  checkImports(file, text, isTest);
}

function checkImports(file: string, text: string, isTest: boolean): void {
  const from = relative(join(root, 'src'), file);
  const targets: string[] = [];
  for (const match of text.matchAll(
    /^(?:import|export)\s+(type\s)?(?:[^'"]*?from\s+)?'(\.[^']+)'|import\('(\.[^']+)'\)/gm,
  )) {
    const target = normalize(join(dirname(file), match[2] ?? match[3] ?? ''));
    const to = relative(join(root, 'src'), target);
    if (to.startsWith('..')) {
      if (!isTest) reportProblem(file, `imports ${to}`, 'code under src stands on src alone');
      continue;
    }
    if (match[1] === undefined && match[2] !== undefined) targets.push(target);
    const [rank, below] = [rankOf(from), rankOf(to)];
    const isNear = rank === ranks.length || dirname(from).split('/')[0] === dirname(to).split('/')[0];
    if (!isTest && !isNear && below >= rank) {
      reportProblem(
        file,
        `imports ${to}, which stands ${below === rank ? 'beside' : 'above'} it`,
        'move what both need down, or let compose.ts hand it in',
      );
    }
    const adapter = adapters.find((pattern) => pattern.test(to));
    if (!isTest && adapter !== undefined && rank < ranks.length && !from.startsWith('db/open') && !adapter.test(from)) {
      reportProblem(file, `imports the adapter ${to}`, 'import the port; src/compose chooses the adapter');
    }
  }
  graph.set(file, targets);
}

/** It is published by itself: a service has nothing of the server, and the server nothing of it. */
function checkClientImports(file: string, text: string): void {
  for (const match of text.matchAll(/^(?:import|export)\s+(?:[^'"]*?from\s+)?'([^']+)'|import\('([^']+)'\)/gm)) {
    const from = match[1] ?? match[2] ?? '';
    if (!/^(\.\/[\w-]+\.ts|node:\w+(\/\w+)?|jose)$/.test(from))
      reportProblem(file, `imports ${from}`, 'the client stands on its own files, Node.js and jose alone');
  }
}

const state = new Map<string, 'open' | 'done'>();
function visit(file: string, trail: readonly string[]): void {
  if (state.get(file) === 'done') return;
  if (state.get(file) === 'open') {
    const cycle = [...trail.slice(trail.indexOf(file)), file].map((path) => relative(root, path));
    reportProblem(file, `a cycle: ${cycle.join(' → ')}`, 'move the part that both need into a file of its own');
    return;
  }
  state.set(file, 'open');
  for (const target of graph.get(file) ?? []) visit(target, [...trail, file]);
  state.set(file, 'done');
}
for (const file of graph.keys()) visit(file, []);

if (problems.length > 0) {
  console.error(`${problems.join('\n')}\n\ncheck-imports: ${problems.length} faults`);
  process.exitCode = 1;
} else {
  console.log(`check-imports: ${graph.size} files keep the house`);
}
