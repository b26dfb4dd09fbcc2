/**
 * Invented people for each result of a verification, for tests of service teams. The demo contains them, and a sandbox imports
 * them (docs/sandbox). The decisions are those of the policy standard-2026-3; test/scenarios/sandbox-personas.test.ts checks
 * them with a running server.
 */

/** A person in the form of an import. */
type Person = { readonly citizenId: string } & Readonly<Record<string, string | readonly object[]>>;

/** The claims of a verification, and its expected result. */
export type PersonaQuestion = {
  readonly claims: Readonly<Record<string, string>>;
  readonly decision: 'match' | 'no_match' | 'not_determined';
  readonly because: string;
};

/** A group of people for one kind of case. */
export type PersonaCase = {
  readonly about: string;
  readonly people: readonly Person[];
  readonly questions: readonly PersonaQuestion[];
};

type ClaimChanges = Readonly<Record<string, string | undefined>>;

/** The id, names and birth date of a person as claims, with overrides; undefined removes a claim. */
function claimsOf(person: Person, changes: ClaimChanges): Readonly<Record<string, string>> {
  const { citizenId, givenName, familyName, birthDate } = person;
  const claims = Object.entries({ citizenId, givenName, familyName, birthDate, ...changes });
  return Object.fromEntries(claims.filter((claim): claim is [string, string] => typeof claim[1] === 'string'));
}

const expectDecision =
  (decision: PersonaQuestion['decision']) =>
  (person: Person, because: string, changes: ClaimChanges = {}): PersonaQuestion => ({
    claims: claimsOf(person, changes),
    decision,
    because,
  });
const match = expectDecision('match');
const noMatch = expectDecision('no_match');
const open = expectDecision('not_determined');

const nora = {
  citizenId: 'try-nora',
  givenName: 'Nora',
  familyName: 'Lindqvist',
  birthDate: '1975-08-14',
  streetAddress: '12 Harbour Road',
  postalCode: '41102',
  locality: 'Gothenburg',
  documentNumber: 'TR0001001',
};
const plain: PersonaCase = {
  about: 'A complete record',
  people: [nora],
  questions: [
    match(nora, 'all claims match'),
    match(nora, 'case, accents and spaces are ignored', { givenName: 'NÓRA', familyName: ' lindqvist' }),
    match(nora, 'with the id, one spelling error is accepted', { familyName: 'Lindkvist' }),
    noMatch(nora, 'two spelling errors are not accepted', { givenName: 'Nroa', familyName: 'Lindqvisp' }),
    noMatch(nora, 'a wrong digit in the birth date is not accepted', { birthDate: '1975-08-15' }),
    match(nora, 'without an id: both names, birth date and address', {
      citizenId: undefined,
      postalCode: '41102',
    }),
    noMatch(nora, 'the id is unknown, and the result does not reveal it', { citizenId: 'try-nobody' }),
  ],
};

const milan = {
  citizenId: 'try-milan',
  givenName: 'Juan Carlos Maria',
  familyName: 'Papadopoulos',
  birthDate: '1980-02-07',
};
const slips: PersonaCase = {
  about: 'Spelling errors, from EU 2023/333, Annex II',
  people: [milan],
  questions: [
    match(milan, 'given name and family name are swapped', {
      givenName: 'Papadopoulos',
      familyName: 'Juan Carlos Maria',
    }),
    match(milan, 'two words are swapped', { givenName: 'Maria Carlos Juan' }),
    match(milan, 'two letters are swapped', { familyName: 'Papadopuolos' }),
    match(milan, 'one letter is missing', { familyName: 'Papadopoulo' }),
    match(milan, 'a given name is missing', { givenName: 'Juan Carlos' }),
    noMatch(milan, 'the family name is truncated', { familyName: 'Papadop' }),
    match(milan, 'day and month are swapped', { birthDate: '1980-07-02' }),
    noMatch(milan, 'day and month are swapped, and the year is wrong', { birthDate: '1981-07-02' }),
    noMatch(milan, 'another name', { familyName: 'Papandreou' }),
  ],
};

const writing = [
  { citizenId: 'try-mueller', givenName: 'Jörg', familyName: 'Müller', birthDate: '1966-03-03', birthPlace: 'Köln' },
  { citizenId: 'try-shchukin', givenName: 'Пётр', familyName: 'Щукин', birthDate: '1971-11-23' },
  { citizenId: 'try-khalid', givenName: 'خالد', familyName: 'الخطيب', birthDate: '1984-01-30' },
  { citizenId: 'try-obrien', givenName: 'Siobhán', familyName: "O'Brien-Lee", birthDate: '1990-04-12' },
  { citizenId: 'try-ngoc', givenName: 'Ngọc Ánh', familyName: 'Trần', birthDate: '1995-12-01' },
  { citizenId: 'try-vanderberg', givenName: 'Pieter', familyName: 'van der Berg', birthDate: '1959-06-18' },
  { citizenId: 'try-suwarni', familyName: 'Suwarni', birthDate: '1968-09-09' },
  { citizenId: 'try-feggins', givenName: 'Alex', familyName: 'Feggins Jr.', birthDate: '1988-08-08' },
  { citizenId: 'try-thordardottir', givenName: 'Guðrún', familyName: 'Þórðardóttir', birthDate: '1993-05-05' },
] as const;
const [mueller, shchukin, khalid, obrien, ngoc, vanderberg, suwarni, feggins, thordar] = writing;
const scripts: PersonaCase = {
  about: 'Names in several scripts',
  people: writing,
  questions: [
    match(mueller, 'the usual transliteration', { familyName: 'Mueller', birthPlace: 'Koeln' }),
    match(shchukin, 'Cyrillic in Latin letters', { givenName: 'Pyotr', familyName: 'Shchukin' }),
    match(khalid, 'Arabic in Latin letters', { givenName: 'Khaled', familyName: 'Al-Khatib' }),
    match(obrien, 'hyphens, apostrophes and accents are ignored', {
      givenName: 'Siobhan',
      familyName: 'OBrien Lee',
    }),
    match(ngoc, 'Vietnamese without diacritics', { givenName: 'Ngoc Anh', familyName: 'Tran' }),
    match(vanderberg, 'a particle can be joined to the name', { familyName: 'Vanderberg' }),
    match(suwarni, 'the person has only one name'),
    match(feggins, 'a suffix can be omitted', { familyName: 'Feggins' }),
    match(thordar, 'Icelandic in Latin letters', { givenName: 'Gudrun', familyName: 'Thordardottir' }),
  ],
};

const states = [
  { citizenId: 'try-locked', givenName: 'Lena', familyName: 'Sorensen', birthDate: '1987-10-10', locked: 'yes' },
  { citizenId: 'try-deceased', givenName: 'Dora', familyName: 'Hartmann', birthDate: '1931-02-11', deceased: 'yes' },
  { citizenId: 'try-review', givenName: 'Rita', familyName: 'Moreau', birthDate: '1979-07-27', underReview: 'yes' },
] as const;
const [locked, deceased, review] = states;
const marked: PersonaCase = {
  about: 'Locked, deceased and disputed records',
  people: states,
  questions: [
    noMatch(locked, 'the citizen has locked the record'),
    noMatch(deceased, 'the person is deceased'),
    open(review, 'the record is disputed'),
    noMatch(review, 'the record is disputed, and the claims are wrong', { familyName: 'Moran' }),
  ],
};

const home = { streetAddress: '3 Mill Lane', postalCode: '70173', locality: 'Stuttgart' };
const similarPeople = [
  { citizenId: 'try-twin-anna', givenName: 'Anna', familyName: 'Vogel', birthDate: '2001-03-09', ...home },
  { citizenId: 'try-twin-anne', givenName: 'Anne', familyName: 'Vogel', birthDate: '2001-03-09', ...home },
  { citizenId: 'try-father', givenName: 'Karl', familyName: 'Vogel', birthDate: '1969-01-20', ...home },
  { citizenId: 'try-son', givenName: 'Karl', familyName: 'Vogel', birthDate: '1999-01-20', ...home },
  { citizenId: 'try-same-1', givenName: 'Eva', familyName: 'Lorenz', birthDate: '1992-09-16', postalCode: '10115' },
  { citizenId: 'try-same-2', givenName: 'Eva', familyName: 'Lorenz', birthDate: '1992-09-16', postalCode: '80331' },
] as const;
const [anna, anne, father, son, same] = similarPeople;
const alike: PersonaCase = {
  about: 'Similar people',
  people: similarPeople,
  questions: [
    match(anna, 'the exact name of one of two twins'),
    open(anna, 'with a spelling error either twin is possible', { givenName: 'Annae' }),
    match(son, 'father and son with one name differ by birth date'),
    noMatch(father, 'the birth date of the son', { birthDate: '1999-01-20' }),
    match(same, 'the address of one of two namesakes', { citizenId: undefined, postalCode: '10115' }),
    noMatch(same, 'a search with an address of neither', { citizenId: undefined, postalCode: '20095' }),
    match(anne, 'a search with the exact claims', { citizenId: undefined, ...home }),
  ],
};

const moved = {
  citizenId: 'try-moved',
  givenName: 'Ines',
  familyName: 'Kovac',
  birthDate: '1986-05-22',
  birthFamilyName: 'Holm',
  streetAddress: '8 New Street',
  postalCode: '1000',
  locality: 'Ljubljana',
  formerNames: [{ familyName: 'Brandt', from: '2010' }],
  formerAddresses: [{ streetAddress: '5 Old Street', postalCode: '2000' }],
};
const left = {
  citizenId: 'try-long-ago',
  givenName: 'Omar',
  familyName: 'Haddad',
  birthDate: '1970-12-12',
  formerNames: [{ familyName: 'Nassar', until: '2001' }],
};
const unsure = { citizenId: 'try-year-only', givenName: 'Amina', familyName: 'Yusuf', birthDate: '1962' };
const time: PersonaCase = {
  about: 'Former and incomplete data',
  people: [moved, left, unsure],
  questions: [
    match(moved, 'a former name', { familyName: 'Brandt' }),
    match(moved, 'a former address', { streetAddress: '5 Old Street', postalCode: '2000' }),
    match(moved, 'the birth name', { birthFamilyName: 'Holm' }),
    noMatch(left, 'a name that was changed too long ago', { familyName: 'Nassar' }),
    match(unsure, 'the register has only the birth year', { birthDate: '1962-04-01' }),
    noMatch(unsure, 'another year', { birthDate: '1963-04-01' }),
  ],
};

/** All groups. */
export const personaCases: readonly PersonaCase[] = [plain, slips, scripts, marked, alike, time];

/** The people of all groups. */
export const personas: readonly Person[] = personaCases.flatMap(({ people }) => people);
