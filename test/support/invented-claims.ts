import type { LabelledPair } from '../../src/identity/evaluation/evaluate-policy.ts';
import type { Claims } from '../../src/identity/register/claims.ts';
import { type Choices, createChoices } from './invented-choices.ts';
import { origins } from './invented-origins.ts';
import type { InventedPerson, InventedRegister } from './invented-register.ts';

/** The kinds of claims of a person, and of two kinds of impostors. */
export const claimKinds = [
  'keystroke in given name',
  'keystroke in family name',
  'exchanged fields',
  'one field, given name first',
  'one field, family name first',
  'Latin letters',
  'impostor',
  'household member',
  'institution',
] as const;

type ClaimKind = (typeof claimKinds)[number];

/** A claim, the record that it is compared with, and whether both are of one person. */
export type InventedClaim = LabelledPair & {
  readonly kind: ClaimKind;
  readonly origin: string;
  readonly values: Claims & { readonly citizenId: string };
};

/** The claims of all people and of their impostors. Keystrokes that produce another name of the lists are left out. */
export function inventClaims({ households, institution }: InventedRegister, seed: number): InventedClaim[] {
  const choices = createChoices(seed);
  const byOrigin = Map.groupBy(households, ({ origin }) => origin);
  const byHousehold = Map.groupBy(households, ({ household }) => household);
  return [
    ...households.flatMap((person) => [
      ...ownClaims(choices, person),
      ...impostorClaim(choices, person, byOrigin.get(person.origin) ?? []),
      ...householdClaim(choices, person, byHousehold.get(person.household) ?? []),
    ]),
    ...institution.flatMap((person) => residentClaim(choices, person)),
  ];
}

const identifyingNames = ['givenName', 'familyName'] as const;

/** The claim of a person with these values instead of the registered ones. An empty value is left out. */
function toClaim({ origin, record }: InventedPerson, kind: ClaimKind, changed: Claims): InventedClaim {
  const { documentNumber: _, ...registered } = record;
  const claim = `${record.citizenId} ${kind}`;
  const stated = Object.entries({ ...registered, ...changed }).filter(([, value]) => value !== '');
  const values = { ...Object.fromEntries(stated), citizenId: claim };
  return { claim, record: record.citizenId, same: true, kind, origin, values };
}

function ownClaims(choices: Choices, person: InventedPerson): InventedClaim[] {
  const { latin, record } = person;
  const { givenName = '', familyName = '' } = record;
  const claims = identifyingNames.flatMap((name) => {
    const typed = mistype(choices, record[name] ?? '');
    const kind = name === 'givenName' ? 'keystroke in given name' : 'keystroke in family name';
    return typed === undefined ? [] : [toClaim(person, kind, { [name]: typed })];
  });
  if (latin !== undefined) claims.push(toClaim(person, 'Latin letters', respelled(choices, latin)));
  if (familyName === '') return claims;
  const inOneField = (name: string): Claims => {
    const [field, other] = choices.chance(0.5) ? identifyingNames : identifyingNames.toReversed();
    return Object.fromEntries([
      [field, name],
      [other, ''],
    ]);
  };
  // Chinese, Korean and Japanese names are written with or without a space.
  const space = /[\p{Script=Han}\p{Script=Hangul}]/u.test(familyName) ? choices.pick(['', ' ']) : ' ';
  return [
    ...claims,
    toClaim(person, 'exchanged fields', { givenName: familyName, familyName: givenName }),
    toClaim(person, 'one field, given name first', inOneField(`${givenName} ${familyName}`)),
    toClaim(person, 'one field, family name first', inOneField(`${familyName}${space}${givenName}`)),
  ];
}

/** A resident claims with a keystroke, or with exchanged names if the script has no alphabet: exact claims need no ambiguity check. */
function residentClaim(choices: Choices, person: InventedPerson): InventedClaim[] {
  return ownClaims(choices, person)
    .slice(0, 1)
    .map(({ values, ...claim }) => ({ ...claim, values, kind: 'institution' }));
}

/** Syllables are written together, with a hyphen or apart. */
function respelled({ pick }: Choices, { givenName = '', ...others }: Claims): Claims {
  return { ...others, givenName: givenName.replace(/(?<=\w)-(?=[a-z])/g, pick(['-', '', ' '])) };
}

/** Another person of the origin with the same year of birth, who claims with the id of this person. */
function impostorClaim(
  choices: Choices,
  person: InventedPerson,
  sameOrigin: readonly InventedPerson[],
): InventedClaim[] {
  const year = person.record.birthDate.slice(0, 4);
  const others = sameOrigin.filter(
    ({ record, household }) => household !== person.household && record.birthDate.startsWith(year),
  );
  if (others.length === 0) return [];
  const { citizenId: _, documentNumber: __, ...values } = choices.pick(others).record;
  return [{ ...toClaim(person, 'impostor', values), same: false }];
}

/** Another member of the household, with own names, who claims with the id and the birth date of this person. */
function householdClaim(choices: Choices, person: InventedPerson, members: readonly InventedPerson[]): InventedClaim[] {
  const others = members.filter(({ record }) => record.givenName !== person.record.givenName);
  if (others.length === 0) return [];
  const { givenName = '', familyName = '' } = choices.pick(others).record;
  return [{ ...toClaim(person, 'household member', { givenName, familyName }), same: false }];
}

const plainForm = (word: string) => word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
const wordsOf = (name: string) => name.split(/[\s'-]+/);

/** All words of the names of the lists, and each list entry as one word. */
const knownNames: ReadonlySet<string> = new Set(
  [...origins.values()].flatMap(({ given, family, feminine }) =>
    [...given, ...family].flatMap(({ own, latin }) =>
      [own, latin, feminine(own), feminine(latin)]
        .flatMap((name) => [...wordsOf(name), name.replace(/[\s'-]/g, '')])
        .map(plainForm),
    ),
  ),
);

const latinLetters = 'abcdefghijklmnopqrstuvwxyz';
/** Scripts in which a keystroke is a letter, by a letter of each. */
const alphabets: readonly (readonly [RegExp, string])[] = [
  [/\p{Script=Latin}/u, latinLetters],
  [/\p{Script=Cyrillic}/u, 'абвгдежзийклмнопрстуфхцчшщыьэюя'],
  [/\p{Script=Hebrew}/u, 'אבגדהוזחטיכלמנסעפצקרשת'],
  [/\p{Script=Arabic}/u, 'ابتثجحخدذرزسشصضطظعغفقكلمنهوي'],
];

/** The name with one wrong keystroke, which is no other name of the lists; undefined if there is none, or no alphabet. */
function mistype(choices: Choices, name: string): string | undefined {
  const alphabet = alphabets.find(([script]) => script.test(name))?.[1];
  if (alphabet === undefined) return undefined;
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const typed = withOneKeystroke(choices, name, [...alphabet]);
    const words = new Set(wordsOf(name).map(plainForm));
    const isName = wordsOf(typed).some((word) => !words.has(plainForm(word)) && knownNames.has(plainForm(word)));
    if (plainForm(typed) !== plainForm(name) && typed.trim() !== '' && !isName) return typed;
  }
  return undefined;
}

function withOneKeystroke({ integer, pick }: Choices, name: string, alphabet: readonly string[]): string {
  const letters = [...name];
  const at = integer(0, letters.length);
  const letter = letters[at] ?? '';
  if (!/\p{L}/u.test(letter)) return name;
  const before = letters.slice(0, at).join('');
  const after = letters.slice(at + 1).join('');
  const wrong = pick(alphabet);
  const inCase = letter === letter.toLowerCase() ? wrong : wrong.toUpperCase();
  const next = letters[at + 1] ?? '';
  return pick([
    () => `${before}${letter}${wrong}${after}`,
    () => `${before}${after}`,
    () => `${before}${inCase}${after}`,
    () => (/\p{L}/u.test(next) ? `${before}${next}${letter}${after.slice(next.length)}` : name),
  ])();
}
