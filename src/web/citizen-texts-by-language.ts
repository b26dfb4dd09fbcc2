import { phrasesForHeader } from '../notifications/rendering/phrases-by-language.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import { dutchPageTexts } from './languages/dutch.ts';
import { englishPageTexts } from './languages/english.ts';
import { frenchPageTexts } from './languages/french.ts';
import { germanPageTexts } from './languages/german.ts';
import { italianPageTexts } from './languages/italian.ts';
import { norwegianPageTexts } from './languages/norwegian.ts';
import { portuguesePageTexts } from './languages/portuguese.ts';
import { spanishPageTexts } from './languages/spanish.ts';

/** By `language`, which the phrases of messages have alike. */
const byLanguage: ReadonlyMap<string, CitizenTexts> = new Map(
  [
    englishPageTexts,
    norwegianPageTexts,
    germanPageTexts,
    frenchPageTexts,
    spanishPageTexts,
    portuguesePageTexts,
    italianPageTexts,
    dutchPageTexts,
  ].map((words) => [words.language, words]),
);

/** The words in the first known language of an `Accept-Language` header, as `wishedPhrases` finds it; English where it names none. */
export function preferredCitizenTexts(acceptLanguage: string | undefined): CitizenTexts {
  return byLanguage.get(phrasesForHeader(acceptLanguage).language) ?? englishPageTexts;
}
