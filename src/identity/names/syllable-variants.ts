import { cantoneseSpellings, mandarinSpellings } from './chinese-spellings.ts';
import { usualHanSpellings } from './han.ts';
import { hanReadingsOf } from './han-characters.ts';
import { hangulSpellings, koreanSurnameSpellings } from './hangul.ts';

type Numbers = ReadonlyMap<string, ReadonlySet<number>>;
/** The syllables of a language by spelling. The spellings of one syllable have a number in common. */
type Language = { readonly single: Numbers; readonly several: Numbers; readonly lists: readonly (readonly string[])[] };

/** Characters of Chinese given names that are not in the table of usual spellings. */
const givenNameCharacters =
  '芬芸蕙茹婉菁筠妤姿媚嫣岚岑峻崇巧帆弘彤彰律微忆怀怡恒恩悠惟愉慈懿振政斐昀昌昕晋晟景朗朵柔桦棠楚榆樱欢歆正殷毓沁沛泉泓津浚涓淇淳渝源滢漫潇灿炎炜烨焕煜熙燕爽珂珍珠琛琦琳瑄瑜瑾璇璟甜畅盈盛睿祎祥祺禄禹' +
  '秋程稳立竹笑筱素纯绍绮维绿翠翰耀聪胤舒良芊芙芷苑若茵茜荷莎菊菡萍蓓蓝蔓蕊薇蝶衍谦诺豪贞赫越跃轶达迅逸邦郁采钦钰铃锐镇长隆隽雁雄雯霖霞露青韬韶频馨骏鹃鹤黛鼎龄娇仪佩俐俞倩健兆全冠则利功勤升启圣培基士奕' +
  '妙姗威孝守安定容富尧岩工帅年康延彩征恺成承政文斯方旭昭显曼材杉松柳栋根武殿民汉沙泰润滨澄煌珮珑理琼益真硕祖禧秉笙紫红绣群翎育腾芝苹葵裕言训诚谊贤超轩运逢道郎重银锋阁陶陵雨雷霆顺颐飘骁鸣麒黎';
/** Syllables of Korean given names. */
const koreanSyllables =
  '가강건겸경계고광교구국권규균근금기길나남년노다단달담대덕도동두득라란래량려련렬령례로록룡루리린림마만명모무문미민배백범병보복봉부빈산삼상새서석선설섭성세소솔송수숙순숭슬승시식신실심아안애양언업' +
  '에여연열영예오옥온완왕요용우욱운웅원월유윤은을음의이익인일임자장재전정제조종주준중지진찬창채천철청초춘충치태택필하학한해행향헌혁현형혜호홍화환황효후훈휘희';

// Built for the first two Latin names that differ. Together they take about 5 ms.
const languages: readonly (() => Language)[] = [
  once(() => {
    const usual = usualHanSpellings();
    const surnames = new Set(
      [...usual.keys()].slice(0, surnameCount).flatMap((one) => hanReadingsOf(one).mandarin.slice(0, 1)),
    );
    const lists = [...new Set([...usual.keys(), ...givenNameCharacters])].map((character) => {
      const { mandarin, cantonese } = hanReadingsOf(character);
      const pinyin = mandarin.slice(0, 1).flatMap(mandarinSpellings);
      return {
        pinyin,
        others: [...(usual.get(character) ?? []), ...cantonese.slice(0, 1).flatMap(cantoneseSpellings)],
      };
    });
    const several = numberSpellings(lists.map(({ pinyin, others }) => [...pinyin, ...others]));
    // Without the spellings of Hong Kong that are another surname in Pinyin: Wu for Hu, Tang for Deng.
    const single = new Map(several);
    for (const surname of surnames) {
      const numbers = [...(several.get(surname) ?? [])].filter((number) => lists[number]?.pinyin.includes(surname));
      single.set(surname, new Set(numbers));
    }
    return {
      lists: lists.map(({ pinyin, others }) => [...new Set([...others.slice(0, 5), ...pinyin])]),
      single,
      several,
    };
  }),
  once(() => ({
    lists: koreanSurnameSpellings(),
    single: numberSpellings(koreanSurnameSpellings()),
    several: numberSpellings([...koreanSyllables].map((syllable) => hangulSpellings(syllable, false))),
  })),
];

/** The characters at the start of the table that are the most frequent surnames. */
const surnameCount = 180;

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function numberSpellings(lists: readonly (readonly string[])[]): Numbers {
  const numbers = new Map<string, Set<number>>();
  for (const [number, spellings] of lists.entries()) {
    for (const spelling of spellings) numbers.set(spelling, (numbers.get(spelling) ?? new Set()).add(number));
  }
  return numbers;
}

const maxSyllables = 2;
const longestSyllable = 6;
/** Shorter names of several syllables could be European (Dina and Tina), unless the syllables are written apart. */
const minLetters = 6;

/** The divisions of a name into Chinese syllables, and into Korean ones. */
type SyllableDivisions = readonly (readonly (readonly string[])[])[];

/** All divisions of a Latin form into syllables. Empty for nearly all names of other languages. */
export function divideIntoSyllables(form: string): SyllableDivisions {
  const name = form.replaceAll(' ', '');
  const canBeSeveral = form.includes(' ') || name.length >= minLetters - 1;
  return languages.map((language) => divideName(language(), name, canBeSeveral ? maxSyllables : 1));
}

function divideName({ single, several }: Language, name: string, most: number): readonly (readonly string[])[] {
  const divided = (rest: string, mostSyllables: number): string[][] => {
    if (rest === '') return [[]];
    if (mostSyllables === 0) return [];
    return Array.from({ length: Math.min(longestSyllable, rest.length) }, (_, at) => rest.slice(0, at + 1))
      .filter((syllable) => several.has(syllable))
      .flatMap((syllable) =>
        divided(rest.slice(syllable.length), mostSyllables - 1).map((others) => [syllable, ...others]),
      );
  };
  const longer = name.length > most * longestSyllable ? [] : divided(name, most);
  return [...longer.filter(({ length }) => length > 1), ...(single.has(name) ? [[name]] : [])];
}

/**
 * Whether two divided names can be one Chinese or Korean name in different systems, syllable by syllable: Zhang, Chang and Cheung; Lee, Yi and
 * Rhee; Xiaoming and Hsiao-ming.
 */
export function areSyllableVariants(one: SyllableDivisions, other: SyllableDivisions): boolean {
  return languages.some((language, at) =>
    (one[at] ?? []).some((syllables) =>
      (other[at] ?? []).some((others) => {
        if (syllables.length !== others.length) return false;
        const { single, several } = language();
        const numbers = syllables.length === 1 ? single : several;
        return syllables.every((syllable, index) => areVariantSyllables(numbers, syllable, others[index] ?? ''));
      }),
    ),
  );
}

function areVariantSyllables(numbers: Numbers, one: string, other: string): boolean {
  const known = numbers.get(other);
  return one === other || (known !== undefined && numbers.get(one)?.isDisjointFrom(known) === false);
}

/** The other usual spellings of a Chinese or Korean surname of one syllable, for search keys; empty for all other names. */
export function surnameSpellingsOf(name: string): string[] {
  return languages.flatMap((language) => {
    const { single, lists } = language();
    return [...(single.get(name) ?? [])].flatMap((number) => lists[number] ?? []);
  });
}
