import assert from 'node:assert/strict';
import test from 'node:test';
import { formsOf } from '../normalise.ts';
import { arabicNames } from './arabic-names.ts';
import { nameLevel } from './name-level.ts';

const level = (one: string, other: string) => nameLevel(formsOf(one), formsOf(other), { particles: true });

/** Names as their own script writes them, with what passports and people make of them. */
const spellings: Readonly<Record<string, readonly (readonly [string, ...string[]])[]>> = {
  Greek: [
    ['Παπαδόπουλος', 'Papadopoulos', 'PAPADOPOULOS'],
    ['Γιώργος', 'Giorgos'],
    ['Ευαγγελία', 'Evangelia'],
    ['Ξένια', 'Xenia'],
    ['Νίκος', 'Nikos'],
  ],
  Cyrillic: [
    ['Дмитрий', 'Dmitrii', 'Dmitry', 'Dmitriy'],
    ['Юлия', 'Iuliia', 'Yulia', 'Yuliya'],
    ['Зеленський', 'Zelenskyi', 'Zelensky'],
    ['Щукин', 'Shchukin'],
    ['Сергей', 'Sergei', 'Sergey'],
  ],
  Arabic: [
    ['محمد', 'Mohammed', 'Muhammad', 'Mohamed'],
    ['أحمد', 'Ahmed', 'Ahmad'],
    ['حسن', 'Hasan', 'Hassan'],
    ['حسين', 'Hussein', 'Husayn', 'Hossein', 'Husain'],
    ['كريم', 'Karim', 'Kareem'],
    ['كريمة', 'Karima', 'Kareema', 'Karimah'],
    ['خالد', 'Khaled', 'Khalid'],
    ['فاطمة', 'Fatima', 'Fatimah', 'Fatma'],
    ['عبد الله', 'Abdullah', 'Abd Allah', 'Abdalla'],
    ['عبد الرحمن', 'Abdulrahman', 'Abdurrahman', 'Abd al-Rahman'],
    ['الحسن', 'Al-Hassan', 'Elhassan'],
    ['القاسم', 'Al-Qasim', 'al Kassem'],
    ['يوسف', 'Yousef', 'Youssef', 'Yusuf'],
    ['نور', 'Nour', 'Noor'],
    ['سعيد', 'Said', 'Saeed'],
    ['عمر', 'Umar', 'Omar'],
    ['عائشة', 'Aisha', 'Aicha', 'Ayesha'],
    ['وائل', 'Wael'],
    ['نور الدين', 'Nour El-Din', 'Nureddin'],
    ['القحطاني', 'Al-Qahtani', 'Alqahtani'],
  ],
  Han: [
    ['张', 'Zhang', 'Cheung'],
    ['張偉', 'Zhang Wei', 'Zhangwei'],
    ['陈', 'Chen', 'Chan'],
    ['习近平', 'Xi Jinping'],
    ['欧阳', 'Ouyang'],
  ],
  Vietnamese: [
    ['Nguyễn', 'Nguyen'],
    ['Trần Văn Đức', 'Tran Van Duc'],
    ['Phạm Thị Hương', 'PHAM THI HUONG'],
  ],
  Icelandic: [
    ['Þórður', 'Thordur'],
    ['Guðmundsdóttir', 'Gudmundsdottir'],
    ['Ægir', 'Aegir'],
  ],
};

for (const [script, names] of Object.entries(spellings)) {
  test(`${script} names are the same as their usual spellings, from either side`, () => {
    for (const [own, ...usual] of names) {
      for (const spelling of usual) {
        assert.equal(level(own, spelling), 'normalised', `${own} / ${spelling}`);
        assert.equal(level(spelling, own), 'normalised', `${spelling} / ${own}`);
      }
    }
  });
}

test('another name of the same script is not taken for it', () => {
  const others = [
    ['حسن', 'Hussein'],
    ['حسين', 'Hasan'],
    ['محمد', 'Mahmoud'],
    ['خالد', 'Walid'],
    ['أمين', 'Amine'],
    ['سليم', 'Salem'],
    ['حسن', 'Husn'],
    ['王', 'Li'],
    ['王', '汪'],
    ['Юлия', 'Yuri'],
    ['Νίκος', 'Nina'],
  ] as const;
  for (const [one, other] of others) assert.notEqual(level(one, other), 'normalised', `${one} / ${other}`);
});

test('every name of the Arabic table is the same as its own Latin spelling', () => {
  const wrong = arabicNames().filter(([arabic, latin]) => level(arabic, latin) !== 'normalised');
  assert.deepEqual(wrong, []);
});

test('an Arabic name that no table knows is similar to what its letters may be, and to no other', () => {
  assert.equal(level('گلشیری', 'Golshiri'), 'similar');
  assert.equal(level('قطيش', 'Qutaish'), 'similar');
  assert.equal(level('قطيش', 'Qatash'), 'different');
});

test('a long vowel of an Arabic name is not another one, and none is added behind it', () => {
  const others = [
    ['كريم', 'Karima'],
    ['جمال', 'Jamil'],
    ['جميل', 'Jamal'],
    ['أمين', 'Amina'],
    ['سميرة', 'Samir'],
    ['حسن', 'Hussein'],
    ['حامد', 'Hameed'],
  ] as const;
  for (const [one, other] of others) {
    assert.ok(!['normalised', 'similar'].includes(level(one, other)), `${one} / ${other}`);
    assert.ok(!['normalised', 'similar'].includes(level(other, one)), `${other} / ${one}`);
  }
});

test('a name of 200 letters of any kind is compared within the time of a name', () => {
  const hostile = [
    'ا'.repeat(200),
    'ع'.repeat(200),
    'a'.repeat(200),
    'щ'.repeat(200),
    '张'.repeat(200),
    ` ${'a '.repeat(99)}`,
  ];
  for (const one of hostile) for (const other of hostile) assert.equal(typeof level(one, other), 'string');
});
