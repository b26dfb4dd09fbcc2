import { type Forms, formsOf } from '../names/normalise.ts';

/**
 * The forms of a postal code: without the country before it, a label such as CEP, blanks, leading zeros and the last four digits of ZIP+4.
 * A code that begins with a country has a second form with the country, because 1010 is a code of many countries.
 */
export function postalCodeForms(value: string): Forms {
  const forms = formsOf(value).flatMap((form) => {
    const words = form.split(' ').filter((word) => !labels.has(word));
    const { country, code } = splitCountry(words.length === 0 ? form : words.join(' '));
    const short = shortestCode(code);
    return country === undefined ? [short] : [short, `${country} ${short}`];
  });
  return [...new Set(forms)];
}

const labels: ReadonlySet<string> = new Set(['cep', 'cp', 'cap', 'plz', 'zip', 'psc', 'npa', 'tk']);

/** The country is one to three letters before at least three digits, which may have two letters after them: NL-1016 GV. */
function splitCountry(text: string): { readonly country?: string; readonly code: string } {
  const [, country, code] = /^([a-z]{1,3}) ?((?:\d ?){2,}\d|\d{4} ?[a-z]{2})$/.exec(text) ?? [];
  if (country === undefined || code === undefined) return { code: text };
  return { country: countryOf.get(country) ?? country, code };
}

/** The ISO codes of countries whose vehicles have another code, which was written before postal codes. */
const countryOf: ReadonlyMap<string, string> = new Map(
  'd de|a at|f fr|i it|b be|l lu|n no|s se|e es|p pt|h hu|fin fi|irl ie|fl li|slo si|rus ru|ua ua|uk gb'
    .split('|')
    .map((pair) => pair.split(' ') as [string, string]),
);

/** Exports often lose leading zeros; codes of one country have one length, so they stay different without them. */
function shortestCode(code: string): string {
  const joined = code.replaceAll(' ', '');
  const isZipPlusFour = /^\d{5} \d{4}$/.test(code) || /^\d{9}$/.test(joined);
  const short = isZipPlusFour ? joined.slice(0, 5) : joined;
  return /^\d+$/.test(short) ? short.replace(/^0+(?=\d)/, '') : short;
}

/** The country in the forms of a code, if it is written. */
export function postalCountryOf(forms: Forms): string | undefined {
  const form = forms.find((text) => text.includes(' '));
  return form?.slice(0, form.indexOf(' '));
}

/** Whether one code is the area of the other: 1100 of 1100-048, SW1A of SW1A 1AA. */
export function isPostalArea(one: string, other: string): boolean {
  return areaOf(one) === other || areaOf(other) === one;
}

/** The area that people also state alone in Portugal, the Netherlands, the United Kingdom and Ireland. */
function areaOf(code: string): string | undefined {
  if (/^\d{7}$/.test(code) || /^\d{4}[a-z]{2}$/.test(code)) return code.slice(0, 4);
  if (/^[a-z]{1,2}\d[a-z\d]?\d[a-z]{2}$/.test(code)) return code.slice(0, -3);
  return /^[a-z]\d[\dw][a-z\d]{4}$/.test(code) ? code.slice(0, 3) : undefined;
}
