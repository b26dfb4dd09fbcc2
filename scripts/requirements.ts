import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One requirement, and what holds it: titles of tests as they stand in their files, or else a note why not. */
type Requirement = {
  readonly row: number;
  readonly wish: string;
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

/** docs/api-requirements.md, with what is wrong about it: a row that nothing holds, a test that is not there. */
export function requirementsPage(root: string): { readonly text: string; readonly faults: readonly string[] } {
  const path = 'spec/requirements.json';
  // The shape is the type above; the faults below are what a wrong file comes to.
  const listed = JSON.parse(readFileSync(join(root, path), 'utf8')) as readonly Requirement[];
  const marked = markedTests(root);
  const rows = listed.map((row) => ({ ...row, held: uniqueTests([...row.held, ...(marked.get(row.row) ?? [])]) }));
  const faults = rows.flatMap((row, index) => faultsOf(root, row, index).map((fault) => `${path}: ${fault}`));
  const sections = groups.map(([first, title], index) => {
    const end = groups[index + 1]?.[0] ?? Number.POSITIVE_INFINITY;
    const lines = rows.filter(({ row }) => row >= first && row < end).map(rowText);
    return `## ${title}\n\n| # | requirement | source | held by |\n|---|---|---|---|\n${lines.join('\n')}\n`;
  });
  return { text: `${head}\n${sections.join('\n')}`, faults };
}

type HeldTest = Requirement['held'][number];

/** The tests that say in their own title which rows they hold, as [R61]. */
function markedTests(root: string): ReadonlyMap<number, readonly HeldTest[]> {
  const found = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root })
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

What public rules and standards ask of an interface like this one, each with the tests that hold it, or with the reason why
it is not held. Made by \`npm run generate\` from \`spec/requirements.json\`, which fails when a test of this page is not there.

A test may also name its rows itself, as \`[R61]\` at the beginning of its title.

NL: Logius API Design Rules. IT: Italian ModI rules. BE: Belgian REST guide. ASVS: OWASP ASVS 5.0. OWASP: API Security Top
10 of 2023. FAPI: FAPI 2.0 Security Profile. What is waived of the rule sets stands in \`spec/waivers.json\`, with its reason.
`;

function faultsOf(root: string, { row, held, note }: Requirement, index: number): string[] {
  const absent = held.filter(({ file, test }) => {
    const place = join(root, file);
    return !existsSync(place) || !containsTitle(readFileSync(place, 'utf8'), test);
  });
  return [
    ...(row === index + 1 ? [] : [`row ${row} stands at place ${index + 1}`]),
    ...(held.length === 0 && note === undefined ? [`row ${row} has neither a test nor a reason`] : []),
    ...absent.map(({ file, test }) => `row ${row}: no test '${test}' in ${file}`),
  ];
}

/** Whether this title stands there in quotes, behind marks of rows perhaps. */
function containsTitle(text: string, title: string): boolean {
  const plain = text.replaceAll(/(['`])(?:\[R\d+\] )+/g, '$1');
  return ["'", '`', '"'].some((quote) => plain.includes(`${quote}${title}${quote}`));
}

function rowText({ row, wish, source, held, note }: Requirement): string {
  const tests = held.map(({ file, test }) => `\`${file}\` “${test.replaceAll('|', '\\|')}”`);
  return `| ${row} | ${wish} | ${source} | ${[...tests, ...(note === undefined ? [] : [note])].join('<br>')} |`;
}
