import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One requirement, and the titles of the tests that check it or a note why no test does. */
type Requirement = {
  readonly row: number;
  readonly requirement: string;
  readonly source: string;
  readonly held: readonly { readonly file: string; readonly test: string }[];
  readonly note?: string;
};

const groups: readonly (readonly [first: number, title: string])[] = [
  [1, 'Contract and discovery'],
  [17, 'HTTP'],
  [34, 'Errors'],
  [43, 'Authentication and authorisation'],
  [61, 'Limits, transport, operations'],
];

/** The page docs/reference/requirements.md and its faults: rows without a test or a note, and tests that do not exist. */
export function requirementsPage(root: string): { readonly text: string; readonly faults: readonly string[] } {
  const path = 'spec/requirements.json';
  // The shape is not validated: `faultsOf` reports the mistakes that are likely.
  const listed = JSON.parse(readFileSync(join(root, path), 'utf8')) as readonly Requirement[];
  const marked = markedTests(root);
  const rows = listed.map((row) => ({ ...row, held: uniqueTests([...row.held, ...(marked.get(row.row) ?? [])]) }));
  const faults = rows.flatMap((row, index) => faultsOf(root, row, index).map((fault) => `${path}: ${fault}`));
  const sections = groups.map(([first, title], index) => {
    const end = groups[index + 1]?.[0] ?? Number.POSITIVE_INFINITY;
    const lines = rows.filter(({ row }) => row >= first && row < end).map(rowText);
    return `## ${title}\n\n| # | requirement | source | tests |\n|---|---|---|---|\n${lines.join('\n')}\n`;
  });
  return { text: `${head}\n${sections.join('\n')}`, faults };
}

type HeldTest = Requirement['held'][number];

/** The tests whose title starts with the rows that they check, such as [R61]. */
function markedTests(root: string): ReadonlyMap<number, readonly HeldTest[]> {
  const found = globSync('{src,test}/**/*.test.ts', { cwd: root, exclude: ['**/node_modules'] })
    .sort()
    .flatMap((file) => {
      const titles = readFileSync(join(root, file), 'utf8').matchAll(/['`]((?:\[R\d+\] )+)([^\n]*?)['`], /g);
      return [...titles].flatMap(([, marks = '', test = '']) =>
        [...marks.matchAll(/\d+/g)].map(([row]) => ({ row: Number(row), held: { file, test } })),
      );
    });
  return new Map([...Map.groupBy(found, ({ row }) => row)].map(([row, all]) => [row, all.map(({ held }) => held)]));
}

function uniqueTests(held: readonly HeldTest[]): readonly HeldTest[] {
  return [...new Map(held.map((one) => [`${one.file} ${one.test}`, one])).values()];
}

const head = `# Requirements of the interface

Public rules and standards set these requirements for an interface like this one. Each row names the tests that check it, or the reason
why no test does. Written by \`npm run generate\` from \`spec/requirements.json\`. The command fails if a test of this page does not exist.

A test can also name its rows itself, with \`[R61]\` at the start of its title.

NL: Logius API Design Rules. IT: Italian ModI rules. BE: Belgian REST guide. ASVS: OWASP ASVS 5.0. OWASP: API Security Top
10 of 2023. FAPI: FAPI 2.0 Security Profile. \`spec/waivers.json\` lists the exceptions to the rule sets with their reasons.
`;

function faultsOf(root: string, { row, held, note }: Requirement, index: number): string[] {
  const absent = held.filter(({ file, test }) => {
    const path = join(root, file);
    return !existsSync(path) || !containsTitle(readFileSync(path, 'utf8'), test);
  });
  return [
    ...(row === index + 1 ? [] : [`expected row ${index + 1} in this position, found row ${row}`]),
    ...(held.length === 0 && note === undefined ? [`row ${row} has neither a test nor a note`] : []),
    ...absent.map(({ file, test }) => `row ${row}: no test '${test}' in ${file}`),
  ];
}

/** Whether the text contains this title in quotes, with or without row marks before it. */
function containsTitle(text: string, title: string): boolean {
  const plain = text.replaceAll(/(['`])(?:\[R\d+\] )+/g, '$1');
  return ["'", '`', '"'].some((quote) => plain.includes(`${quote}${title}${quote}`));
}

function rowText({ row, requirement, source, held, note }: Requirement): string {
  const tests = held.map(({ file, test }) => `\`${file}\` “${test.replaceAll('|', '\\|')}”`);
  return `| ${row} | ${requirement} | ${source} | ${[...tests, ...(note === undefined ? [] : [note])].join('<br>')} |`;
}
