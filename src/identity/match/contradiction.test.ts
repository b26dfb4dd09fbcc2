import assert from 'node:assert/strict';
import test from 'node:test';
import { countFrequencies } from '../evaluation/evaluate-policy.ts';
import { toRegisterRecord } from '../import/people-file.ts';
import type { Claims } from '../register/claims.ts';
import { normaliseClaims } from './comparable.ts';
import { compareRecord } from './compare.ts';
import type { Frequencies } from './model.ts';
import { standardPolicy3 } from './policy.ts';

const person: Claims = { citizenId: 'C-1', givenName: 'Anna', familyName: 'Bauer', birthDate: '1980-02-03' };

function isAccepted(registered: Claims, claimed: Claims, frequencies?: Frequencies): boolean {
  const record = toRegisterRecord({ ...person, ...registered });
  const claims = normaliseClaims({ ...person, ...registered, ...claimed });
  return compareRecord(record, claims, standardPolicy3, frequencies).decision === 'match';
}

function acceptedNames(
  claim: 'givenName' | 'familyName',
  pairs: readonly string[],
  frequencies?: Frequencies,
): string[] {
  return pairs.filter((pair) => {
    const [registered = '', claimed = ''] = pair.split('/');
    return isAccepted({ [claim]: registered }, { [claim]: claimed }, frequencies);
  });
}

test('with an id, the given name of another person is refused even if only one letter differs', () => {
  const others = [
    'Maria/Mario',
    'Paul/Paula',
    'Jan/Jana',
    'Mary/Gary',
    'Ole/Ola',
    'Александр/Александра',
    'Emin/Emine',
    'Lea/Leo',
    'Min-jun/Min-ju',
  ];
  const differingMore = ['Lukas/Jonas', 'Marta/Martin', 'Gabriel/Gabrielle', 'Jan/Janina', 'Ji-woo/Ji-hoon'];
  const secondNames = ['Hans Peter/Hans Paul', 'Jean-Luc/Jean-Marc', 'Li Wei/Li Na'];
  const han = ['伟/薇', '明/敏', '建国/建军'];
  assert.deepEqual(acceptedNames('givenName', [...others, ...differingMore, ...secondNames, ...han]), []);
});

test('with an id, another given name in Hangul, kana or Arabic letters is refused even if only one letter differs', () => {
  const hangul = ['영희/영호', '민준/민중', '정희/정호'];
  const kana = ['まさお/まさこ', 'ゆき/ゆきこ', 'マサオ/マサコ'];
  const arabic = ['حسن/حسين', 'محمد/محمود', 'كريم/كريمة'];
  assert.deepEqual(acceptedNames('givenName', [...hangul, ...kana, ...arabic]), []);
});

test('a given name of the register in another script does not count as a typing error of another one', () => {
  const people = Array.from({ length: 400 }, (_, at) => ({ givenName: ['דנה', 'דנע', 'Зорана'][at % 3] ?? '' }));
  const frequencies = countFrequencies(people);
  const names = ['דנה/דנע', 'דנה/דנט', 'Зорана/Зоранл'];
  assert.deepEqual(acceptedNames('givenName', names, frequencies), ['דנה/דנט', 'Зорана/Зоранл']);
});

test('with an id, one typing error is accepted if the result is not another name, even in a short name', () => {
  const slips = ['Maria/Marja', 'Peter/Pter', 'Lea/Lwa', 'Wu/Wi', 'Ben/Bne', 'Hans Peter/Hans Petwr', 'Mria/Maria'];
  slips.push('Елена/Еленаю', 'Роман/Роан', 'Иван/Ивая', 'さくら/さくろ', 'محمد/محمدط');
  const spellings = ['Sophie/Sofie', 'Thorsten/Torsten', 'Philipp/Philip', 'Christopher/Christophe'];
  const shortForms = ['Alexandra/Alex', 'Samantha/Sam', 'Hans Peter/Hans', 'Hans Peter/H. P.'];
  const all = [...slips, ...spellings, ...shortForms];
  assert.deepEqual(acceptedNames('givenName', all), all);
});

test('a name of several people in the register does not count as a typing error of another registered name', () => {
  const people = Array.from({ length: 400 }, (_, at) => ({
    givenName: ['Belkanda', 'Belkando', 'Olu'][at % 3] ?? '',
    familyName: at % 2 === 0 ? 'Li' : 'Meyer',
  }));
  const frequencies = countFrequencies([...people, { givenName: 'Belkande' }]);
  const given = ['Belkanda/Belkando', 'Belkanda/Belkande', 'Belkande/Belkando', 'Oli/Olu', 'Olu/Oly'];
  assert.deepEqual(acceptedNames('givenName', given, frequencies), [
    'Belkanda/Belkande',
    'Belkande/Belkando',
    'Olu/Oly',
  ]);
  const family = ['Lu/Li', 'Li/Lu', 'Meier/Meyer'];
  assert.deepEqual(acceptedNames('familyName', family, frequencies), ['Li/Lu', 'Meier/Meyer']);
});

test('with an id, another family name is refused unless it is a former name or the name at birth', () => {
  assert.equal(isAccepted({}, { familyName: 'Schulze' }), false);
  assert.equal(isAccepted({ familyName: 'García López' }, { familyName: 'García Pérez' }), false);
  assert.equal(isAccepted({ familyName: 'Papadopoulos' }, { familyName: 'Papadop' }), false);
  assert.equal(isAccepted({ familyName: 'García López' }, { familyName: 'García' }), true);
  assert.equal(isAccepted({ birthFamilyName: 'Schulze' }, { familyName: 'Schulze' }), true);
  const record = { ...toRegisterRecord(person), formerNames: [{ familyName: 'Schulze' }] };
  const claims = normaliseClaims({ ...person, familyName: 'Schulze' });
  assert.equal(compareRecord(record, claims, standardPolicy3).decision, 'match');
});

test('with an id, a different birth date is accepted only with exchanged day and month or in another calendar', () => {
  const accepted = [
    '1980-03-02',
    '2523-02-03',
    '1980-02-04',
    '1990-02-03',
    '1980-12-03',
    '1980-02-13',
    '1981-03-03',
  ].filter((birthDate) => isAccepted({}, { birthDate }));
  assert.deepEqual(accepted, ['1980-03-02', '2523-02-03']);
});

test('with an id, an address is refused if neither its street nor its postal code agrees', () => {
  const home = { streetAddress: 'Hauptstraße 5', postalCode: '10115' };
  assert.equal(isAccepted(home, { streetAddress: 'Lindenweg 7', postalCode: '20095' }), false);
  assert.equal(isAccepted(home, { streetAddress: 'Lindenweg 7' }), true);
  assert.equal(isAccepted(home, { streetAddress: 'Hauptstr. 5', postalCode: '20095' }), true);
});

test('with an id, exchanged names or one typing error are accepted, and two deviations are refused', () => {
  assert.equal(isAccepted({}, { givenName: 'Bauer', familyName: 'Anna' }), true);
  assert.equal(isAccepted({ givenName: 'Christopher', familyName: 'Anderson' }, { givenName: 'Chirstopher' }), true);
  assert.equal(
    isAccepted({ givenName: 'Maria', familyName: 'Berg' }, { givenName: 'Berg', familyName: 'Mario' }),
    false,
  );
  const both = { givenName: 'Chirstopher', familyName: 'Andersom' };
  assert.equal(isAccepted({ givenName: 'Christopher', familyName: 'Anderson' }, both), false);
  assert.equal(isAccepted({}, { givenName: 'Annna', birthDate: '1980-03-02' }), false);
});

test('with an id, a word that a claim adds to one name must agree with the other name', () => {
  const registered = { givenName: 'Hans', familyName: 'Meier' };
  const isOneNameAccepted = (claimed: Claims) => {
    const { citizenId, birthDate } = person;
    const claims = normaliseClaims({ citizenId, birthDate, ...claimed });
    return compareRecord(toRegisterRecord({ ...person, ...registered }), claims, standardPolicy3).decision === 'match';
  };
  const familyNames = [
    'Eva Meier',
    'Meier Eva',
    'Meier, Eva',
    'Hans Meier',
    'Meier Hans',
    'H. Meier',
    'von Meier',
    'Dr. Meier',
  ];
  const accepted = familyNames.filter((familyName) => isOneNameAccepted({ familyName }));
  assert.deepEqual(accepted, ['Hans Meier', 'Meier Hans', 'H. Meier', 'von Meier', 'Dr. Meier']);
  const givenNames = ['Hans Schulz', 'Hans Meier', 'Hans', 'M. Hans', 'Hans P.'];
  const acceptedGiven = givenNames.filter((givenName) => isOneNameAccepted({ givenName }));
  assert.deepEqual(acceptedGiven, ['Hans Meier', 'Hans', 'M. Hans', 'Hans P.']);
});

test('with an id, a claimed word that is not in the only registered field is refused', () => {
  const acceptedOf = (registered: Claims, names: readonly string[]) =>
    names.filter((name) => {
      const [givenName = '', familyName = ''] = name.split('/');
      const record = { ...toRegisterRecord({ ...person, ...registered }) };
      const claims = normaliseClaims({ ...person, givenName, familyName });
      return compareRecord(record, claims, standardPolicy3).decision === 'match';
    });
  const names = ['Eva/Meier', 'Hans/Schulz', 'Hans/Meier', 'Meier/Hans', 'H./Meier'];
  const accepted = ['Hans/Meier', 'Meier/Hans', 'H./Meier'];
  assert.deepEqual(acceptedOf({ givenName: 'FNU', familyName: 'Hans Meier' }, names), accepted);
  assert.deepEqual(acceptedOf({ givenName: 'Hans Meier', familyName: 'LNU' }, names), accepted);
  assert.deepEqual(acceptedOf({ givenName: 'FNU', familyName: 'Ani Sukarno' }, ['Budi/Sukarno', 'Ani/Sukarno']), [
    'Ani/Sukarno',
  ]);
  assert.deepEqual(acceptedOf({ givenName: 'FNU', familyName: 'Hans Peter Meier' }, ['Hans/Meier']), ['Hans/Meier']);
  const cyrillic = ['Maria/Petrov', 'Мария/Петров', 'Ivan/Petrov', 'Иван/Петров'];
  const acceptedCyrillic = ['Ivan/Petrov', 'Иван/Петров'];
  assert.deepEqual(acceptedOf({ givenName: 'FNU', familyName: 'Иван Петров' }, cyrillic), acceptedCyrillic);
});

test('with an id, exchanged names in another spelling are accepted', () => {
  const accepted = (givenName: string, familyName: string, claimed: string) => {
    const [given = '', family = ''] = claimed.split('/');
    return isAccepted({ givenName, familyName }, { givenName: given, familyName: family });
  };
  assert.equal(accepted('Mohamed', 'Hassan', 'Hassan/Muhammad'), true);
  assert.equal(accepted('Juan', 'Hernández', 'Hdez/Juan'), true);
});

test('with an id, exchanged names are refused if both are cut', () => {
  const accepted = ['M/H', 'Mei/Han', 'Meier/H.', 'Meier/Hans'].filter((names) => {
    const [givenName = '', familyName = ''] = names.split('/');
    return isAccepted({ givenName: 'Hans', familyName: 'Meier' }, { givenName, familyName });
  });
  assert.deepEqual(accepted, ['Meier/H.', 'Meier/Hans']);
});

test('with an id, an abbreviated family name is accepted, and a cut one is refused', () => {
  const abbreviated = [
    'Hernández/Hdez',
    'Hernández/Hdez.',
    'Martínez/Mtz',
    'Fernández García/Fdez García',
    'Schmidt/Schm.',
  ];
  const wordsLeftOut = ['Garcia Lopez/Garcia', 'Garcia Lopez/Lopez', 'Silva Nascimento/do Nascimento'];
  const accepted = [...abbreviated, ...wordsLeftOut];
  const cut = ['Garcia Lopez/G', 'Garcia Lopez/L', 'Garcia Lopez/Gar', 'Schmidt/Schm', 'Schmidt/S.', 'Schmidt/Sc.'];
  assert.deepEqual(acceptedNames('familyName', [...accepted, ...cut]), accepted);
});

test('with an id, another generation suffix is refused also in the other field', () => {
  const registered = { givenName: 'John Jr', familyName: 'Smith' };
  assert.equal(isAccepted(registered, { givenName: 'John', familyName: 'Smith Sr' }), false);
  assert.equal(isAccepted(registered, { givenName: 'John', familyName: 'Smith Jr' }), true);
});

test('with an id, another street is refused unless the postal code agrees', () => {
  const home = { streetAddress: '12 High Street', postalCode: '10115' };
  const move = { streetAddress: '98 Mill Lane', postalCode: '10116' };
  assert.equal(isAccepted(home, move), false);
  assert.equal(isAccepted(home, { ...move, postalCode: '10115' }), true);
  assert.equal(isAccepted({ postalCode: '10115' }, { ...move, postalCode: '20095' }), false);
  assert.equal(isAccepted({ postalCode: '10115' }, { ...move, postalCode: '10115' }), true);
});
