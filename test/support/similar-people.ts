import type { LabelledPair } from '../../src/identity/evaluation/evaluate-policy.ts';
import type { Claims } from '../../src/identity/register/claims.ts';

type Person = Claims & { readonly citizenId: string };

/** Two similar people of one household. */
type Household = { readonly kind: string; readonly people: readonly [Claims, Claims] };

const familyNames =
  'Silva Novak Rossi Kowalski Jensen Nagy Dubois Moreau Petrov Yilmaz Okafor Tanaka Larsen Weber'.split(' ');
const givenNamePairs = [
  ['Maria', 'Marie'],
  ['Jon', 'Jan'],
  ['Anna', 'Hanna'],
  ['Luca', 'Lucas'],
  ['Daniel', 'Daniela'],
  ['Eva', 'Ava'],
  ['Tim', 'Tom'],
  ['Sofia', 'Paula'],
  ['Peter', 'Robert'],
] as const;

function households(): Household[] {
  const found: Household[] = [];
  familyNames.forEach((familyName, at) => {
    const home = { streetAddress: `${at + 1} High Street`, postalCode: `${1000 + at}`, locality: 'Exampleton' };
    const day = `${String((at % 12) + 1).padStart(2, '0')}-${String((at % 28) + 1).padStart(2, '0')}`;
    for (const [pair, [first, second]] of givenNamePairs.entries()) {
      const flat = { ...home, streetAddress: `${100 * (pair + 1) + at} High Street` };
      const born = { familyName, birthDate: `${1960 + 5 * pair}-${day}`, ...flat };
      found.push({
        kind: 'twins',
        people: [
          { ...born, givenName: first },
          { ...born, givenName: second },
        ],
      });
    }
    const parent = { givenName: 'Jean', familyName, birthDate: `1955-${day}`, ...home };
    found.push({ kind: 'parent and child of one name', people: [parent, { ...parent, birthDate: `1985-${day}` }] });
    const namesake = { givenName: 'Kim', familyName, birthDate: `1970-${day}`, ...home };
    found.push({ kind: 'namesakes of a household', people: [namesake, { ...namesake, birthDate: '1971-03-09' }] });
  });
  return found;
}

/** The claims of a person: unchanged, with one wrong letter, the initial, exchanged names, or a wrong date. */
const typingErrors: readonly ((person: Claims) => Claims)[] = [
  (person) => person,
  (person) => ({ ...person, familyName: `${person.familyName}s` }),
  (person) => ({ ...person, givenName: person.givenName?.replace(/^(.)(.)/, '$2$1') ?? '' }),
  (person) => ({ ...person, givenName: person.givenName?.slice(0, 1) ?? '' }),
  (person) => ({ ...person, givenName: person.familyName ?? '', familyName: person.givenName ?? '' }),
  (person) => ({ ...person, birthDate: person.birthDate?.replace(/^(..)(.)(.)/, '$1$3$2') ?? '' }),
  (person) => ({ ...person, birthDate: person.birthDate?.replace(/^(..)./, `$1${changedDecadeDigit(person)}`) ?? '' }),
  (person) => ({ ...person, birthDate: person.birthDate?.replace(/(..)-(..)$/, '$2-$1') ?? '' }),
];

/** A wrong digit that makes the year of a parent that of the child or vice versa. */
function changedDecadeDigit({ birthDate = '' }: Claims): string {
  return birthDate.charAt(2) === '6' ? '8' : '6';
}

/** The set: all people are registered, every error of each person is a claim, and each claim is paired with both of the household. */
export function makeSimilarPeople(): {
  readonly register: readonly Person[];
  readonly claims: readonly Person[];
  readonly pairs: readonly (LabelledPair & { readonly kind: string })[];
} {
  const register: Person[] = [];
  const claims: Person[] = [];
  const pairs: (LabelledPair & { kind: string })[] = [];
  households().forEach(({ kind, people }, at) => {
    const ids = people.map((person, which) => {
      const citizenId = `H${at}-${which}`;
      register.push({ ...person, citizenId });
      return citizenId;
    });
    people.forEach((person, which) => {
      typingErrors.forEach((slip, number) => {
        const claim = `${ids[which]}-c${number}`;
        claims.push({ ...slip(person), citizenId: claim });
        for (const [place, record] of ids.entries()) pairs.push({ claim, record, same: place === which, kind });
      });
    });
  });
  return { register, claims, pairs };
}
