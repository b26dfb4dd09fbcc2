/**
 * Keeps the house of ARCHITECTURE.md: imports point down and nothing beside, no barrels, no drawers, no cycles, no file
 * over 300 lines, settings read in one place; the client stands alone. Prints the remedy with each fault. Run by `npm run check`.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';

const ranks: readonly (readonly string[])[] = [
  ['kernel'],
  ['store', 'keys', 'config'],
  ['ledger', 'access', 'jobs'],
  ['api'],
  ['identity', 'notifications', 'documents', 'oversight'],
  ['portal', 'cli'],
];
/** Beside the files at the top of `src`, and of their rank. */
const atTheTop = ['compose', 'doctor'];
const drawers = ['index', 'utils', 'util', 'helpers', 'helper', 'common', 'types', 'shared', 'misc'];
const adapters = [
  /^store\/(sqlite|postgres)/,
  /^notifications\/channels\/(?!channel\.ts)/,
  /^documents\/blobs\/(?!blob-store\.ts)/,
  /^documents\/scanners\//,
  /^identity\/registers\//,
];
const maximumLines = 300;
/** Made by scripts/generate.ts and read by nobody from top to bottom: as long as the interface is. */
const generated = ['client/src/api-types.ts'];

const root = join(import.meta.dirname, '..');
const faults: string[] = [];
const graph = new Map<string, string[]>();

function fault(file: string, text: string, remedy: string): void {
  faults.push(`${relative(root, file)}: ${text}\n    → ${remedy}`);
}

function rankOf(path: string): number {
  const folder = path.split('/')[0] ?? '';
  const rank = ranks.findIndex((folders) => folders.includes(folder));
  return path.includes('/') && !atTheTop.includes(folder) ? rank : ranks.length;
}

const checked = globSync('{src,test,scripts,bench,client/src}/**/*.ts', { cwd: root, exclude: ['**/node_modules'] });
for (const path of checked) checkFile(join(root, path));

function checkFile(file: string): void {
  const text = readFileSync(file, 'utf8');
  const lines = text.split('\n').length - 1;
  const path = relative(root, file);
  const name = basename(file).replace(/(\.test)?\.ts$/, '');
  if (lines > maximumLines && !generated.includes(path))
    fault(file, `${lines} lines`, `split it by idea: at most ${maximumLines} lines a file`);
  if (drawers.includes(name)) fault(file, 'a drawer', 'name the file after the one thing it holds');
  if (path !== join('test', 'compile-errors.ts') && /^\s*\/[/*]+\s*@ts-/m.test(text))
    fault(file, 'a silenced type', 'prove it to the compiler');
  if (path.startsWith('client') && !path.endsWith('.test.ts')) checkClientImports(file, text);
  if (!path.startsWith('src')) return;
  if (rankOf(relative('src', path)) < 0)
    fault(file, 'a folder without a rank', 'give it one, here and in ARCHITECTURE.md');
  // A comment begins its line: within one, these may be part of a text.
  const body = text.replaceAll(/^\s*(\/\*[\s\S]*?\*\/|\/\/.*$)/gm, '').trim();
  if (/^(import [^;]+;\s*)*(export (type )?(\*|\{[^}]*\})[^;{}]*;\s*)+$/.test(body))
    fault(file, 'a barrel', 'import the file that has it');
  const mayReadEnvironment = /^src\/(main\.ts|config\/)/.test(path) || path.endsWith('.test.ts');
  if (!mayReadEnvironment && /\bprocess(\.env\b|\[)|= process\b(?!\.)|'(node:)?process'/.test(body))
    fault(file, 'reads process.env', 'take a setting from config/settings.ts');
  const isTest = path.endsWith('.test.ts');
  if (
    !isTest &&
    !/system-clock|api\/log\.ts/.test(path) &&
    /\b(Date\.now|Math\.random|randomUUID|new Date)\(\)/.test(body)
  ) {
    fault(file, 'takes time or randomness', 'ask for a Clock, Random or Mint');
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
      if (!isTest) fault(file, `imports ${to}`, 'code under src stands on src alone');
      continue;
    }
    if (match[1] === undefined && match[2] !== undefined) targets.push(target);
    const [rank, below] = [rankOf(from), rankOf(to)];
    const isNear = rank === ranks.length || dirname(from).split('/')[0] === dirname(to).split('/')[0];
    if (!isTest && !isNear && below >= rank) {
      fault(
        file,
        `imports ${to}, which stands ${below === rank ? 'beside' : 'above'} it`,
        'move what both need down, or let compose.ts hand it in',
      );
    }
    const adapter = adapters.find((pattern) => pattern.test(to));
    if (
      !isTest &&
      adapter !== undefined &&
      rank < ranks.length &&
      !from.startsWith('store/open') &&
      !adapter.test(from)
    ) {
      fault(file, `imports the adapter ${to}`, 'import the port; src/compose chooses the adapter');
    }
  }
  graph.set(file, targets);
}

/** It is published by itself: a service has nothing of the server, and the server nothing of it. */
function checkClientImports(file: string, text: string): void {
  for (const match of text.matchAll(/^(?:import|export)\s+(?:[^'"]*?from\s+)?'([^']+)'|import\('([^']+)'\)/gm)) {
    const from = match[1] ?? match[2] ?? '';
    if (!/^(\.\/[\w-]+\.ts|node:\w+(\/\w+)?|jose)$/.test(from))
      fault(file, `imports ${from}`, 'the client stands on its own files, Node.js and jose alone');
  }
}

const state = new Map<string, 'open' | 'done'>();
function visit(file: string, trail: readonly string[]): void {
  if (state.get(file) === 'done') return;
  if (state.get(file) === 'open') {
    const cycle = [...trail.slice(trail.indexOf(file)), file].map((path) => relative(root, path));
    fault(file, `a cycle: ${cycle.join(' → ')}`, 'move the part that both need into a file of its own');
    return;
  }
  state.set(file, 'open');
  for (const target of graph.get(file) ?? []) visit(target, [...trail, file]);
  state.set(file, 'done');
}
for (const file of graph.keys()) visit(file, []);

if (faults.length > 0) {
  console.error(`${faults.join('\n')}\n\ncheck-imports: ${faults.length} faults`);
  process.exitCode = 1;
} else {
  console.log(`check-imports: ${graph.size} files keep the house`);
}
