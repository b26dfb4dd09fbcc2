import type { Claims } from '../../src/identity/register/claims.ts';
import { type Choices, createChoices } from './invented-choices.ts';
import { type Origin, origins, type WrittenName } from './invented-origins.ts';

/** A person of the invented register. `latin` has the names in Latin letters if the record is in another script. */
export type InventedPerson = {
  readonly origin: string;
  /** People with the same number live together. */
  readonly household: number;
  readonly record: Claims & { readonly citizenId: string; readonly birthDate: string };
  readonly latin: Claims | undefined;
};

/** The people of households, of one care home, and of one family name and birth date. */
export type InventedRegister = {
  readonly households: readonly InventedPerson[];
  readonly institution: readonly InventedPerson[];
  readonly namesakes: readonly InventedPerson[];
};

/** The number of people in the institution, and of those with one family name and birth date. */
const largeGroupSize = 150;

/** A register with this number of people of each origin in households. The same seed makes the same people. */
export function inventRegister(seed: number, peoplePerOrigin: number): InventedRegister {
  const choices = createChoices(seed);
  return {
    households: [...origins].flatMap(([name, origin]) => makeHouseholds(choices, name, origin, peoplePerOrigin)),
    institution: makeInstitution(choices),
    namesakes: makeNamesakes(choices),
  };
}

/** Households of two to five people: adults of one generation and their children, mostly with one family name. */
function makeHouseholds(choices: Choices, name: string, origin: Origin, size: number): InventedPerson[] {
  const people: InventedPerson[] = [];
  while (people.length < size) {
    const home = { origin: name, household: choices.nextNumber(), address: makeAddress(choices, origin) };
    const taken = new Set<number>();
    const year = choices.integer(1938, 1980);
    const family = pickFamily(choices, origin);
    const members = choices.integer(2, 6);
    for (let member = 0; member < members; member += 1) {
      const isChild = member > 1;
      const birthDate = choices.dateIn(year + (isChild ? choices.integer(22, 32) : choices.integer(0, 6)));
      const ownFamily = isChild || member === 0 || choices.chance(0.7) ? family : pickFamily(choices, origin);
      people.push(makePerson(choices, origin, { ...home, family: ownFamily, birthDate, taken }));
    }
  }
  return people;
}

/** Residents of a care home: people of all origins at one address. */
function makeInstitution(choices: Choices): InventedPerson[] {
  const household = choices.nextNumber();
  const address = { streetAddress: '12 Abbey Road', postalCode: 'SO9 4XY', locality: 'Southmoor' };
  return Array.from({ length: largeGroupSize }, () => {
    const [name, origin] = choices.pick([...origins]);
    const birthDate = choices.dateIn(choices.integer(1930, 1955));
    const family = pickFamily(choices, origin);
    return makePerson(choices, origin, { origin: name, household, address, family, birthDate });
  });
}

/** People with the commonest family name of Korea who were born on one day and live at different addresses. */
function makeNamesakes(choices: Choices): InventedPerson[] {
  const korean = origins.get('korean');
  if (korean === undefined) return [];
  const family = korean.family.slice(0, 1);
  return Array.from({ length: largeGroupSize }, () => {
    const home = { origin: 'korean', household: choices.nextNumber(), address: makeAddress(choices, korean) };
    return makePerson(choices, korean, { ...home, family, birthDate: '1971-03-15' });
  });
}

type NewPerson = Pick<InventedPerson, 'origin' | 'household'> & {
  readonly address: Pick<Claims, 'streetAddress' | 'postalCode' | 'locality'>;
  readonly family: readonly WrittenName[];
  readonly birthDate: string;
  /** The indexes of given names that the household has already. */
  readonly taken?: Set<number>;
};

function makePerson(
  choices: Choices,
  origin: Origin,
  { address, family, birthDate, taken, ...home }: NewPerson,
): InventedPerson {
  const first = pickGiven(choices, origin, taken);
  const isWoman = first % 2 === 1;
  // The lists alternate names of men and women, so that a second name has the same parity.
  const second = choices.chance(origin.twoGiven) ? pickGiven(choices, origin, taken, isWoman) : first;
  const given = [first, second].flatMap((at) => origin.given.slice(at, at + 1));
  const joint = family.length > 1 ? choices.pick(origin.familyJoints) : '';
  const isMononym = choices.chance(origin.mononyms);
  const namesIn = (script: keyof WrittenName): Claims => {
    const familyName = family.map((part) => part[script]).join(joint);
    const givenName = [...new Set(given.map((part) => part[script]))].join(' ');
    if (isMononym) return { givenName };
    return { givenName, familyName: isWoman ? origin.feminine(familyName) : familyName };
  };
  const latin = namesIn('latin');
  const hasScript = choices.chance(origin.scriptShare);
  return {
    ...home,
    record: {
      ...(hasScript ? namesIn('own') : latin),
      citizenId: `P-${choices.nextNumber()}`,
      birthDate,
      documentNumber: choices.fill('@@#######'),
      ...address,
    },
    latin: hasScript ? latin : undefined,
  };
}

function pickFamily(choices: Choices, { family, evenness, twoFamily }: Origin): WrittenName[] {
  const size = choices.chance(twoFamily) ? 2 : 1;
  return Array.from({ length: size }, () => pickName(choices, family, evenness));
}

/** The index of a given name that the household does not have; of a woman or a man if stated. */
function pickGiven(
  choices: Choices,
  { given, evenness }: Origin,
  taken = new Set<number>(),
  ofWoman?: boolean,
): number {
  for (;;) {
    const at = choices.rank(given.length, evenness);
    const isOfSex = ofWoman === undefined || (at % 2 === 1) === ofWoman;
    if (isOfSex && !taken.has(at)) {
      taken.add(at);
      return at;
    }
  }
}

function pickName(choices: Choices, names: readonly WrittenName[], evenness: number): WrittenName {
  return choices.pick(names.slice(choices.rank(names.length, evenness)).slice(0, 1));
}

function makeAddress({ fill, pick }: Choices, { streets, postalCode, localities }: Origin): NewPerson['address'] {
  return { streetAddress: fill(pick(streets)), postalCode: fill(postalCode), locality: pick(localities) };
}
