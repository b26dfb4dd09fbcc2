/**
 * Checks the layout of ARCHITECTURE.md. Imports, also of types, point to lower layers and form no cycle; inside `notifications`,
 * `identity` and `wallet` the folders have an order too. Files have one subject and a limited length, settings are read in one place, and
 * the client package imports nothing of the server. Prints the fix with each fault. Part of `npm run check`.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';

/** The folders of `src`, the lowest layer first. Folders of one layer do not import each other. */
const layers: readonly (readonly string[])[] = [
  ['kernel', 'locales'],
  ['config', 'crypto', 'db', 'net'],
  ['jobs', 'ledger', 'auth'],
  ['api'],
  ['identity', 'notifications', 'documents', 'audit', 'wallet'],
  ['staff'],
  ['web', 'cli'],
];
/** These folders, and the files at the top of `src`, may import everything. */
const topLevelFolders = ['app'];

/** The name, in `folderOrders`, of the files at the top of a slice, and of its `create-<slice>.ts`. */
const [topFiles, createFile] = ['(top)', '(create)'];
/**
 * The order inside a slice, the lowest first. A folder imports itself and those before it. Folders in one list are equal. A file at the
 * top of the slice may have its own place.
 */
const folderOrders: Readonly<Record<string, readonly (readonly string[])[]>> = {
  notifications: [
    ...[
      'text',
      'languages',
      'notification',
      'templates',
      'contact',
      'rendering',
      'letters',
      'webhooks',
      'cascade',
      'batches',
    ],
    ...[
      'legal-effect',
      'system-messages',
      'delivery',
      'inbox',
      'evidence',
      'provider-webhooks',
      'channels',
      topFiles,
      createFile,
    ],
  ].map((folder) => [folder]),
  identity: [
    ...['register', 'names', 'match', 'verification-limit', 'ambiguity', 'policies', 'import'].map((folder) => [
      folder,
    ]),
    ['register-adapters', 'evaluation'],
    ...['verification', topFiles, createFile].map((folder) => [folder]),
  ],
  wallet: ['failure-reason.ts', 'formats', 'trust', 'protocol', topFiles, createFile].map((folder) => [folder]),
};

const genericNames = ['index', 'utils', 'util', 'helpers', 'helper', 'common', 'types', 'shared', 'misc'];
const adapters = [
  /^db\/(sqlite\/(?!copy-sqlite-file|database-lock|integrity-check)|postgres\/)/,
  /^notifications\/channels\//,
  /^documents\/blobs\/(folder|s3)/,
  /^documents\/scan\/clamd/,
  /^identity\/register-adapters\//,
];
/** Files outside `app` that choose an adapter according to the settings. */
const adapterChoosers = [
  /^db\/open/,
  /^identity\/open-register\.ts$/,
  /^notifications\/(create-notifications|notification-jobs)\.ts$/,
  /^documents\/(open-blobs|document-jobs)\.ts$/,
];
const maximumLines = 400;
/** Written by scripts/generate.ts. They may be longer than the limit. */
const generated = ['client/src/api-types.ts'];

const root = join(import.meta.dirname, '..');
const problems: string[] = [];
const graph = new Map<string, string[]>();

function reportProblem(file: string, text: string, fix: string): void {
  problems.push(`${relative(root, file)}: ${text}\n    → ${fix}`);
}

/** The layer of a path below `src`. -1 for a folder without a layer. */
function layerOf(path: string): number {
  const folder = path.split('/')[0] ?? '';
  const layer = layers.findIndex((folders) => folders.includes(folder));
  return path.includes('/') && !topLevelFolders.includes(folder) ? layer : layers.length;
}

/** The position of a path below `src` in the order of its slice. Undefined if the slice has no order. */
function folderPositionOf(path: string): number | undefined {
  const [slice = '', second = '', ...deeper] = path.split('/');
  const order = folderOrders[slice];
  if (order === undefined) return undefined;
  const isListed = order.some((folders) => folders.includes(second));
  const fileGroup = second === `create-${slice}.ts` ? createFile : topFiles;
  const folder = deeper.length === 0 && !isListed ? fileGroup : second;
  return order.findIndex((folders) => folders.includes(folder));
}

const checked = globSync('{src,test,scripts,bench,client/src}/**/*.ts', { cwd: root, exclude: ['**/node_modules'] });
for (const path of checked) checkFile(join(root, path));

function checkFile(file: string): void {
  const text = readFileSync(file, 'utf8');
  const lines = text.split('\n').length - 1;
  const path = relative(root, file);
  const name = basename(file).replace(/(\.test)?\.ts$/, '');
  if (lines > maximumLines && !generated.includes(path))
    reportProblem(file, `${lines} lines`, `split it by topic: at most ${maximumLines} lines a file`);
  if (genericNames.includes(name))
    reportProblem(file, 'a name that says nothing', 'name the file after the one thing it contains');
  if (path !== join('test', 'compile-errors.ts') && /^\s*\/[/*]+\s*@ts-/m.test(text))
    reportProblem(file, 'a suppressed type error', 'make the types correct');
  if (path.startsWith('client') && !path.endsWith('.test.ts')) checkClientImports(file, text);
  if (!path.startsWith('src')) return;
  if (layerOf(relative('src', path)) < 0)
    reportProblem(file, 'a folder without a layer', 'give it one, here and in ARCHITECTURE.md');
  if (folderPositionOf(relative('src', path)) === -1)
    reportProblem(file, 'a folder without a place in its slice', 'give it one in scripts/check-imports.ts');
  // Only comments that begin a line: elsewhere, the same characters may be part of a string.
  const body = text.replaceAll(/^\s*(\/\*[\s\S]*?\*\/|\/\/.*$)/gm, '').trim();
  if (/^(import [^;]+;\s*)*(export (type )?(\*|\{[^}]*\})[^;{}]*;\s*)+$/.test(body))
    reportProblem(file, 'only re-exports', 'import the file that defines it');
  const mayReadEnvironment = /^src\/(main\.ts|config\/)/.test(path) || path.endsWith('.test.ts');
  if (!mayReadEnvironment && /\bprocess(\.env\b|\[)|= process\b(?!\.)|'(node:)?process'/.test(body))
    reportProblem(file, 'reads process.env', 'take a setting from config/settings.ts');
  const isTest = path.endsWith('.test.ts');
  if (
    !isTest &&
    !/system-clock|api\/log\.ts/.test(path) &&
    /\b(Date\.now|Math\.random|randomUUID|new Date)\(\)/.test(body)
  ) {
    reportProblem(file, 'takes time or randomness', 'take a Clock, RandomBytes or IdGenerator as a parameter');
  }
  checkImports(file, text, isTest);
}

function checkImports(file: string, text: string, isTest: boolean): void {
  const from = relative(join(root, 'src'), file);
  const targets: string[] = [];
  for (const match of text.matchAll(/^(?:import|export)\s+(?:[^'"]*?from\s+)?'(\.[^']+)'|import\('(\.[^']+)'\)/gm)) {
    const target = normalize(join(dirname(file), match[1] ?? match[2] ?? ''));
    const to = relative(join(root, 'src'), target);
    if (to.startsWith('..')) {
      if (!isTest) reportProblem(file, `imports ${to}`, 'code in src imports only code in src');
      continue;
    }
    // An import() does not form a cycle: it runs later.
    if (match[1] !== undefined) targets.push(target);
    if (!isTest) checkDirection(file, from, to);
  }
  graph.set(file, targets);
}

/** Checks one import of a file that is no test; `from` and `to` are paths below `src`. */
function checkDirection(file: string, from: string, to: string): void {
  const [layer, toLayer] = [layerOf(from), layerOf(to)];
  const isSameFolder = from.split('/')[0] === to.split('/')[0] && from.includes('/');
  if (layer < layers.length && !isSameFolder && toLayer >= layer) {
    const where = toLayer === layer ? 'in the same layer' : 'in a higher layer';
    reportProblem(file, `imports ${to}, ${where}`, 'move what both need down, or let src/app/create-app.ts pass it in');
  }
  const [position, toPosition] = [folderPositionOf(from), folderPositionOf(to)];
  if (isSameFolder && position !== undefined && toPosition !== undefined && toPosition > position) {
    reportProblem(file, `imports ${to}, later in the order of the slice`, 'move what both need to the earlier folder');
  }
  const adapter = adapters.find((pattern) => pattern.test(to));
  const mayChoose = layer === layers.length || adapterChoosers.some((pattern) => pattern.test(from));
  if (adapter !== undefined && !mayChoose && !adapter.test(from)) {
    reportProblem(
      file,
      `imports the adapter ${to}`,
      'import the port; create-<slice>.ts or src/app chooses the adapter',
    );
  }
}

/** The client is a package of its own: it imports nothing of the server, and the server nothing of it. */
function checkClientImports(file: string, text: string): void {
  for (const match of text.matchAll(/^(?:import|export)\s+(?:[^'"]*?from\s+)?'([^']+)'|import\('([^']+)'\)/gm)) {
    const from = match[1] ?? match[2] ?? '';
    if (!/^(\.\/[\w-]+\.ts|node:\w+(\/\w+)?|jose)$/.test(from))
      reportProblem(file, `imports ${from}`, 'the client may import its own files, Node.js and jose');
  }
}

const state = new Map<string, 'open' | 'done'>();
function visit(file: string, trail: readonly string[]): void {
  if (state.get(file) === 'done') return;
  if (state.get(file) === 'open') {
    const cycle = [...trail.slice(trail.indexOf(file)), file].map((path) => relative(root, path));
    reportProblem(file, `an import cycle: ${cycle.join(' → ')}`, 'move what both need into a file of its own');
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
  console.log(`check-imports: ${graph.size} files, no fault`);
}
