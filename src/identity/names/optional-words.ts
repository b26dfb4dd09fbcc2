/** Words at the beginning of a name that are no part of it; reference: the person symbols and prefixes of OpenSanctions. */
const titles = new Set('dr prof professor mr mrs ms rev'.split(' '));

/** What tells generations of one name apart, at the end of a given or a family name, and how else it is written. */
const generations: ReadonlyMap<string, string> = new Map([
  ['jr', 'jr'],
  ['jnr', 'jr'],
  ['junior', 'jr'],
  ['sr', 'sr'],
  ['snr', 'sr'],
  ['senior', 'sr'],
  ['ii', 'ii'],
  ['iii', 'iii'],
  ['iv', 'iv'],
]);

const saints: ReadonlyMap<string, string> = new Map([
  ['st', 'saint'],
  ['ste', 'sainte'],
]);

/** A name of several words without what one office writes and another leaves out, and which generation it said. */
export type StrippedName = { readonly form: string; readonly generation: string | undefined };

/** The last word that is left is the name itself, whatever it looks like: Junior and Prof are somebody's names. */
export function stripOptionalWords(form: string): StrippedName {
  let kept = form;
  for (let end = kept.indexOf(' '); end > 0 && titles.has(kept.slice(0, end)); end = kept.indexOf(' ')) {
    kept = kept.slice(end + 1);
  }
  const last = kept.lastIndexOf(' ');
  const generation = last > 0 ? generations.get(kept.slice(last + 1)) : undefined;
  if (generation !== undefined) kept = kept.slice(0, last);
  const first = kept.indexOf(' ');
  const saint = first > 0 ? saints.get(kept.slice(0, first)) : undefined;
  return { form: saint === undefined ? kept : saint + kept.slice(first), generation };
}
