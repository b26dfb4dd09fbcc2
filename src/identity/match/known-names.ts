import givenNames from './given-names.json' with { type: 'json' };

/** The languages in whose list a given name is, and the sex (`f`, `m`) if all lists agree. */
type NameUse = { readonly languages: ReadonlySet<string>; readonly sex: string };

let usesByName: ReadonlyMap<string, NameUse> | undefined;

/** Built by the first comparison that needs it (10 ms): most commands compare no names. */
function useOf(word: string): NameUse | undefined {
  usesByName ??= new Map(
    givenNames.flatMap(({ languages, sex, names }) => {
      const use = { languages: new Set(languages.split(' ')), sex };
      return names.split(' ').map((name) => [name, use] as const);
    }),
  );
  return usesByName.get(word);
}

/** Whether the word, in the form of `formsOf`, is a given name in a list of any language. */
export function isGivenName(word: string): boolean {
  return useOf(word) !== undefined;
}

/** Whether both words are given names of one language, or the first one is a given name in several languages. */
export function areBothGivenNames(word: string, other: string): boolean {
  const [use, otherUse] = [useOf(word), useOf(other)];
  if (use === undefined || otherUse === undefined) return false;
  return use.languages.size > 1 || !use.languages.isDisjointFrom(otherUse.languages);
}

/** Whether a language with another script has both words, in Latin letters, as given names. */
export function areBothOfOtherScript(word: string, other: string): boolean {
  const shared = useOf(word)?.languages.intersection(useOf(other)?.languages ?? new Set());
  return shared !== undefined && !shared.isDisjointFrom(otherScriptLanguages);
}

const otherScriptLanguages: ReadonlySet<string> = new Set('ar bn el fa he hy ka ko mk ne ru sr th uk ur zh'.split(' '));

/** Whether one word is a name of women only and the other one of men only. */
export function areOfOtherSex(word: string, other: string): boolean {
  const sexes = [useOf(word)?.sex ?? '', useOf(other)?.sex ?? ''];
  return sexes.includes('f') && sexes.includes('m');
}
