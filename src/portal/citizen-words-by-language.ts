import { wishedPhrases } from '../notifications/phrases-by-language.ts';
import type { CitizenWords } from './citizen-words.ts';
import { dutch } from './languages/dutch.ts';
import { english } from './languages/english.ts';
import { french } from './languages/french.ts';
import { german } from './languages/german.ts';
import { italian } from './languages/italian.ts';
import { norwegian } from './languages/norwegian.ts';
import { portuguese } from './languages/portuguese.ts';
import { spanish } from './languages/spanish.ts';

/** By `language`, which the phrases of messages have alike. */
const byLanguage: ReadonlyMap<string, CitizenWords> = new Map(
  [english, norwegian, german, french, spanish, portuguese, italian, dutch].map((words) => [words.language, words]),
);

/** The words in the first known language of an `Accept-Language` header, as `wishedPhrases` finds it; English where it names none. */
export function wishedWords(acceptLanguage: string | undefined): CitizenWords {
  return byLanguage.get(wishedPhrases(acceptLanguage).language) ?? english;
}
