import type { ClaimName } from '../src/identity/register/claims.ts';
import { acceptedPercent, type FairnessGroup, measureFairness, sumCounts } from '../test/support/fairness.ts';
import { defaultMatchPolicy } from '../test/support/identity-cases.ts';
import { claimKinds } from '../test/support/invented-claims.ts';

const names: readonly ClaimName[] = ['citizenId', 'givenName', 'familyName', 'birthDate'];
const withAddress: readonly ClaimName[] = [...names, 'streetAddress', 'postalCode', 'locality'];
const invention = { peoplePerOrigin: 60, seed: 1 };

type Column = { readonly title: string; readonly groups: readonly FairnessGroup[] };

/** The section of docs/reference/accuracy.md about invented people of 17 origins, in Markdown. It takes about 30 seconds. */
export function fairnessSection(): string {
  const columns: readonly Column[] = [
    {
      title: 'Id, names, birth date',
      groups: measureFairness({ policy: defaultMatchPolicy, use: names, ...invention }),
    },
    { title: 'And address', groups: measureFairness({ policy: defaultMatchPolicy, use: withAddress, ...invention }) },
  ];
  const honest = columns.map(({ title, groups }) => ({
    title,
    groups: groups.filter(({ kind, truePairs }) => kind !== 'institution' && truePairs > 0),
  }));
  const originNames = [...new Set(honest.flatMap(({ groups }) => groups.map(({ origin }) => origin)))];
  return `## Fairness by origin

\`scripts/invent-register.ts\` invents ${invention.peoplePerOrigin} people of each of ${originNames.length} origins in households, with the names and addresses of their
countries. Chinese, Korean, Japanese and Arabic people are registered half in their script and half in Latin letters, Russian and Israeli
people in their script. Each person claims with one wrong keystroke in a name, with exchanged fields, with the whole name in one field in
both orders, and in Latin letters if the record is in another script. Keystrokes that produce another name are left out. The policy is
\`${defaultMatchPolicy.name}\`; each claim states the id of the record. You can repeat the measurement with \`policies evaluate --by origin\`.

${table(
  'Origin',
  honest,
  ['all', ...originNames].map((origin) => ({
    label: `${origin.slice(0, 1).toUpperCase()}${origin.slice(1)}`,
    share: ({ groups }) => accepted(groups.filter((group) => origin === 'all' || group.origin === origin)),
  })),
)}

${table(
  'Claim',
  columns,
  claimKinds.map((kind) => ({
    label: labels[kind] ?? kind,
    share: ({ groups }) => accepted(groups.filter((group) => group.kind === kind)),
  })),
)}

A household member claims with own names, and with the id, birth date and address of another member. The residents of the institution
are 150 people of all origins at one address, who claim with one wrong keystroke. \`test/scenarios/fair-matching.test.ts\` fails if a share becomes unfair.
`;
}

const labels: Readonly<Partial<Record<FairnessGroup['kind'], string>>> = {
  impostor: 'impostor of the same origin and year of birth: false matches',
  'household member': 'household member: false matches',
  institution: 'resident of an institution',
};

type TableRow = { readonly label: string; share(column: Column): string };

function table(heading: string, columns: readonly Column[], rows: readonly TableRow[]): string {
  const lines = [
    [heading, ...columns.map(({ title }) => title)],
    ['---', ...columns.map(() => '---')],
    ...rows.map(({ label, share }) => [label, ...columns.map(share)]),
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The accepted share of true pairs, or the numbers of false matches. */
function accepted(groups: readonly FairnessGroup[]): string {
  const counts = sumCounts(groups);
  if (counts.truePairs === 0) return `${counts.falseMatches} of ${counts.falsePairs}`;
  return `${acceptedPercent(counts).toFixed(1)} % of ${counts.truePairs}`;
}
