import assert from 'node:assert/strict';
import test from 'node:test';
import { formsOf } from '../names/normalise.ts';
import { arabicNames } from './arabic-names.ts';
import { nameLevel } from './name-level.ts';
import { placeLevel, streetLevel } from './place-level.ts';

const level = (one: string, other: string) => nameLevel(formsOf(one), formsOf(other), { particles: true });

/** Names in their own script, with the spellings in passports and common ones. */
const spellings: Readonly<Record<string, readonly (readonly [string, ...string[]])[]>> = {
  Greek: [
    ['Παπαδόπουλος', 'Papadopoulos', 'PAPADOPOULOS'],
    ['Γιώργος', 'Giorgos'],
    ['Ευαγγελία', 'Evangelia'],
    ['Ξένια', 'Xenia'],
    ['Νίκος', 'Nikos'],
    ['Ντίνος', 'Ntinos', 'Dinos'],
  ],
  Cyrillic: [
    ['Дмитрий', 'Dmitrii', 'Dmitry', 'Dmitriy'],
    ['Юлия', 'Iuliia', 'Yulia', 'Yuliya'],
    ['Зеленський', 'Zelenskyi', 'Zelensky'],
    ['Щукин', 'Shchukin'],
    ['Сергей', 'Sergei', 'Sergey'],
    ['Евгений', 'Evgenii', 'Evgeny', 'Yevgeny', 'Yevgeniy'],
    ['Ельцин', 'Eltsin', 'Yeltsin'],
    ['Екатерина', 'Ekaterina', 'Yekaterina'],
    ['Александр', 'Aleksandr', 'Alexandr', 'Alexander'],
    ['Алексей', 'Aleksei', 'Aleksey', 'Alexey', 'Alexei'],
    ['Алексеев', 'Alekseev', 'Alekseyev', 'Alexeev', 'Alexeyev'],
    ['Максим', 'Maksim', 'Maxim'],
    ['Юрий', 'Iurii', 'Yury', 'Yuri'],
    ['Фёдор', 'Fedor', 'Fyodor'],
    ['Андреев', 'Andreev', 'Andreyev'],
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
    ['吕', 'Lü', 'Lu', 'Lyu', 'Lv'],
    ['蔡', 'Cai', 'Choi', 'Tsai'],
    ['许', 'Xu', 'Hui', 'Hsu'],
    ['谢', 'Xie', 'Tse', 'Hsieh'],
    ['叶', 'Ye', 'Yip', 'Yeh'],
    ['郭', 'Guo', 'Kwok', 'Kuo'],
    ['陈', '陳'],
    ['刘德华', '劉德華', 'Liu Dehua'],
    ['诸葛', '諸葛', 'Zhuge'],
  ],
  Georgian: [
    ['გიორგი', 'Giorgi'],
    ['ბერიძე', 'Beridze'],
    ['ჟვანია', 'Zhvania'],
    ['ფირცხალავა', 'Pirtskhalava', 'Firtskhalava'],
  ],
  Armenian: [
    ['Պետրոսյան', 'Petrosyan', 'Petrosian', 'Bedrosian'],
    ['Արմեն', 'Armen'],
    ['Երևան', 'Yerevan'],
    ['Ուլիխանյան', 'Ulikhanyan', 'Ulikhanian'],
    ['Ոսկանյան', 'Voskanyan'],
  ],
  Hangul: [
    ['김', 'Kim', 'Gim'],
    ['이', 'Lee', 'Yi', 'Rhee'],
    ['박', 'Park', 'Pak'],
    ['최', 'Choi', 'Choe'],
    ['정', 'Jung', 'Jeong', 'Chung'],
    ['민수', 'Minsu', 'Min-soo'],
    ['영수', 'Yeongsu', 'Young-soo'],
    ['김민수', 'Kim Min-su'],
  ],
  Kana: [
    ['やまだ', 'Yamada', 'ヤマダ'],
    ['たろう', 'Taro', 'Tarou', 'Taroh'],
    ['おおの', 'Ono', 'Oono', 'Ohno'],
    ['はっとり', 'Hattori'],
    ['しょうへい', 'Shohei', 'Shouhei'],
    ['キョウコ', 'Kyoko'],
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
  test(`${script} names agree with their usual spellings in both directions`, () => {
    for (const [own, ...usual] of names) {
      for (const spelling of usual) {
        assert.equal(level(own, spelling), 'normalised', `${own} / ${spelling}`);
        assert.equal(level(spelling, own), 'normalised', `${spelling} / ${own}`);
      }
    }
  });
}

test('another name of the same script does not agree', () => {
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
    ['유', '류'],
    ['전', '준'],
    ['か', 'が'],
    ['გიორგი', 'Grigol'],
    ['Юлия', 'Yuri'],
    ['Νίκος', 'Nina'],
  ] as const;
  for (const [one, other] of others) assert.notEqual(level(one, other), 'normalised', `${one} / ${other}`);
});

test('blanks and hyphens do not change the comparison of names in any script', () => {
  const spaced = [
    '박 지성',
    '欧阳 修',
    '歐陽 修',
    'やまだ たろう',
    'ヤマダ タロウ',
    'გიორგი ლომაძე',
    'Գևորգ Օրբելյան',
    'ნინო მ',
  ];
  for (const name of spaced) {
    for (const other of [name.replace(' ', ''), name.replace(' ', '-'), name.replace(' ', '・')]) {
      assert.deepEqual([level(name, other), level(other, name)], ['normalised', 'normalised'], `${name} / ${other}`);
    }
  }
});

test('a Hebrew name agrees as a transliteration with every reading of its letters', () => {
  const readings = [
    ['כהן', 'Cohen', 'transliterated'],
    ['דוד', 'David', 'transliterated'],
    ['יעקב', 'Yaakov', 'transliterated'],
    ['מזרחי', 'Mizrahi', 'transliterated'],
    ['דוד', 'Daniel', 'different'],
  ] as const;
  for (const [hebrew, spelling, expected] of readings) {
    assert.deepEqual([level(hebrew, spelling), level(spelling, hebrew)], [expected, expected], spelling);
  }
});

test('each of the hundred most frequent family names of China has its Pinyin', () => {
  const surnames =
    '王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩邓冯曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢姚沈钟姜崔谭陆范汪廖石金韦贾夏付方邹熊白孟秦' +
    '邱侯江尹薛闫雷龙黎史陶贺毛段郝顾龚邵覃武钱戴严莫孔汤常易乔赖文';
  const without = [...surnames].filter((surname) => !/^[a-z]+$/.test(formsOf(surname)[0] ?? ''));
  assert.deepEqual(without, []);
});

test('every name of the Arabic table agrees with its own Latin spelling', () => {
  const wrong = arabicNames().filter(([arabic, latin]) => level(arabic, latin) !== 'normalised');
  assert.deepEqual(wrong, []);
});

test('an Arabic name outside the table agrees as a transliteration with the readings of its letters, and with no other name', () => {
  assert.equal(level('گلشیری', 'Golshiri'), 'transliterated');
  assert.equal(level('قطيش', 'Qutaish'), 'transliterated');
  assert.equal(level('قطيش', 'Qatash'), 'different');
});

test('a long vowel of an Arabic name cannot be replaced, and none can be added after it', () => {
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
    assert.ok(!['normalised', 'transliterated', 'similar'].includes(level(one, other)), `${one} / ${other}`);
    assert.ok(!['normalised', 'transliterated', 'similar'].includes(level(other, one)), `${other} / ${one}`);
  }
});

test('a name of 200 letters of any script is compared in bounded time', () => {
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

test('texts longer than any name are compared for equality only', () => {
  // Each expands to eighteen letters.
  const long = 'ﷺ'.repeat(200);
  assert.equal(level(long, `${long} `), 'normalised');
  for (const other of [`${long}a`, long.slice(1), 'محمد', 'Muhammad']) {
    assert.deepEqual([level(long, other), level(other, long)], ['different', 'different'], other);
    const [one, two] = [formsOf(long), formsOf(other)];
    assert.deepEqual([placeLevel(one, two), streetLevel(one, two)], ['different', 'different'], other);
  }
});
