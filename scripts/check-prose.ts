/**
 * Checks the language of source comments, string literals, test titles, names, Markdown files, alerts, the English texts
 * for citizens and commit subjects against `scripts/prose-rules.ts`. `scripts/prose-exemptions.txt` lists the files that are
 * not rewritten yet.
 *
 *     node scripts/check-prose.ts                        all files (part of `npm run check`)
 *     node scripts/check-prose.ts FILE…                  these files, including those that are still to do
 *     node scripts/check-prose.ts --summary              findings per file, including those that are still to do
 *     node scripts/check-prose.ts --write-exemptions     rewrites the "still to do" section
 *     node scripts/check-prose.ts --commits [BASE]       the subjects of the commits since BASE (part of `.ci/run`)
 *     node scripts/check-prose.ts --commit-message FILE  one commit message (called by `.githooks/commit-msg`)
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Finding, findInFile, findInSubject } from './prose-findings.ts';

const checked = [
  '{src,test,bench,scripts,client/src}/**/*.{ts,js}',
  'src/locales/en.json',
  '*.md',
  'client/*.md',
  'docs/**/*.{md,yaml}',
];
const exemptionsFile = 'scripts/prose-exemptions.txt';
const toDoHeading = '# Still to do: written by `node scripts/check-prose.ts --write-exemptions`.';
/** Subjects of earlier commits are not checked. */
const baseCommit = '88ac6f7de0f18ca1304be0c266ccbc1ceb45e499';

const root = process.cwd();

class NothingToCheck extends Error {
  constructor(folder: string) {
    super(`expected the root folder of the repository, received ${folder}. Run the script in the root folder.`);
  }
}

interface Exemptions {
  /** The lines of the file before the "still to do" section. */
  readonly head: readonly string[];
  readonly whole: ReadonlySet<string>;
  /** Files whose string literals are not checked, except test titles. */
  readonly strings: ReadonlySet<string>;
  readonly toDo: ReadonlySet<string>;
}

function readExemptions(): Exemptions {
  const path = join(root, exemptionsFile);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  const start = lines.indexOf(toDoHeading);
  const head = start < 0 ? lines : lines.slice(0, start);
  const entries = head.map((line) => line.replace(/#.*/, '').trim()).filter((line) => line !== '');
  const filesOf = (patterns: string[]) =>
    new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root, exclude: ['**/node_modules'] })));
  const suffix = / +strings$/;
  return {
    head,
    whole: filesOf(entries.filter((entry) => !suffix.test(entry))),
    strings: filesOf(entries.filter((entry) => suffix.test(entry)).map((entry) => entry.replace(suffix, ''))),
    toDo: new Set(start < 0 ? [] : lines.slice(start + 1).filter((line) => line !== '')),
  };
}

function findAll(paths: readonly string[], { whole, strings }: Exemptions): Map<string, readonly Finding[]> {
  const found = new Map<string, readonly Finding[]>();
  for (const path of paths) {
    if (whole.has(path)) continue;
    const findings = findInFile(path, readFileSync(join(root, path), 'utf8'), { strings: !strings.has(path) });
    if (findings.length > 0) found.set(path, findings);
  }
  return found;
}

function writeExemptions({ head, toDo }: Exemptions, found: ReadonlyMap<string, unknown>): number {
  const paths = [...found.keys()].sort();
  writeFileSync(join(root, exemptionsFile), `${[...head, toDoHeading, ...paths].join('\n')}\n`);
  const added = paths.filter((path) => !toDo.has(path));
  const removed = [...toDo].filter((path) => !found.has(path));
  for (const path of added) console.log(`check-prose: added ${path}`);
  console.log(`check-prose: ${paths.length} files still to do, ${added.length} added, ${removed.length} removed`);
  return 0;
}

function summarize(found: ReadonlyMap<string, readonly Finding[]>): number {
  const rows = [...found].sort(([, one], [, other]) => other.length - one.length);
  for (const [path, findings] of rows) console.log(`${String(findings.length).padStart(5)} ${path}`);
  const total = rows.reduce((sum, [, findings]) => sum + findings.length, 0);
  console.log(`check-prose: ${total} findings in ${rows.length} files`);
  return 0;
}

function report(findings: readonly string[], scope: string): number {
  if (findings.length === 0) console.log(`check-prose: ${scope}: nothing found`);
  else console.error(`${findings.join('\n')}\n\ncheck-prose: ${findings.length} findings`);
  return findings.length === 0 ? 0 : 1;
}

function linesOf(found: ReadonlyMap<string, readonly Finding[]>): string[] {
  return [...found].flatMap(([path, findings]) =>
    findings.map(({ line, found, use }) => `${path}:${line}: "${found}" → ${use}`),
  );
}

function checkAll(found: Map<string, readonly Finding[]>, { toDo }: Exemptions): number {
  const done = [...toDo].filter((path) => !found.has(path));
  for (const path of toDo) found.delete(path);
  const stale = done.map((path) => `${exemptionsFile}: ${path} has no finding any more → run --write-exemptions`);
  return report([...linesOf(found), ...stale], `all files except ${toDo.size} that are still to do`);
}

function checkCommits(base: string): number {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (git('cat-file', '-e', `${base}^{commit}`).status !== 0) {
    console.log(
      `check-prose: commit subjects are not checked: this copy has no commit ${base}, for example because it is shallow`,
    );
    return 0;
  }
  const { stdout } = git('log', '--no-merges', '--format=%h %s', `${base}..HEAD`);
  const commits = stdout.split('\n').filter((line) => line !== '');
  return report(commits.flatMap(checkSubject), `the subjects of ${commits.length} commits`);
}

function checkSubject(line: string): string[] {
  const [, commit = '', subject = ''] = /^(\S+) (.*)$/.exec(line) ?? [];
  return findInSubject(subject).map(({ found, use }) => `commit ${commit}: "${found}" → ${use}`);
}

/** Git writes the subject of a merge. A fixup is squashed later, and `--commits` checks the result. */
function checkMessage(file: string): number {
  const subject = readFileSync(resolve(root, file), 'utf8').split('\n', 1)[0] ?? '';
  if (subject === '' || /^(?:Merge |(?:fixup|squash|amend)! )/.test(subject)) return 0;
  const findings = findInSubject(subject);
  for (const { found, use } of findings) console.error(`commit subject: "${found}" → ${use}`);
  return findings.length === 0 ? 0 : 1;
}

function main(): number {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      summary: { type: 'boolean' },
      'write-exemptions': { type: 'boolean' },
      commits: { type: 'boolean' },
      'commit-message': { type: 'string' },
    },
  });
  if (values['commit-message'] !== undefined) return checkMessage(values['commit-message']);
  if (values.commits) return checkCommits(positionals[0] ?? baseCommit);
  const exemptions = readExemptions();
  const named = positionals.map((path) => relative(root, resolve(path)));
  const paths = named.length > 0 ? named : globSync(checked, { cwd: root, exclude: ['**/node_modules'] }).sort();
  if (paths.length === 0) throw new NothingToCheck(root);
  const found = findAll(paths, exemptions);
  if (values['write-exemptions']) return writeExemptions(exemptions, found);
  if (values.summary) return summarize(found);
  return named.length > 0 ? report(linesOf(found), named.join(', ')) : checkAll(found, exemptions);
}

process.exitCode = main();
