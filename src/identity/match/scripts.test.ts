import assert from 'node:assert/strict';
import test from 'node:test';
import { formsOf } from '../normalise.ts';
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
    ['حسين', 'Hussein', 'Husayn', 'Hossein'],
    ['فاطمة', 'Fatima', 'Fatimah'],
    ['عبد الرحمن', 'Abdulrahman', 'Abdurrahman', 'Abd al-Rahman'],
    ['القاسم', 'Al-Qasim', 'al Kassem'],
    ['يوسف', 'Yousef', 'Youssef', 'Yusuf'],
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
    ['王', 'Li'],
    ['王', '汪'],
    ['Юлия', 'Yuri'],
    ['Νίκος', 'Nina'],
  ] as const;
  for (const [one, other] of others) assert.notEqual(level(one, other), 'normalised', `${one} / ${other}`);
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
