/** Titles before a name, without those that are also given names, such as Don and Lady. */
const titles = new Set(
  (
    'dr dipl prof professor mr mrs ms miss mx rev sir dame sra srta dra drs mme mlle herr frau hr fr med habil mag mgr ing ir ' +
    'mudr judr phdr sig sigra dott dottssa dhr mevr pani daw u shri smt hj haji hajah datuk dato'
  ).split(' '),
);

/** Degrees and orders after a name. */
const degrees = new Set('phd msc bsc mba llm llb esq obe cbe mbe'.split(' '));

/** Generation suffixes after a given or family name, with their canonical form. */
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
  ['sta', 'santa'],
  ['sto', 'santo'],
]);

/** A name without words that some offices omit, and its generation suffix. */
type StrippedName = { readonly form: string; readonly generation: string | undefined };

/** Removes titles, degrees and the generation suffix. The last word always stays: Junior and Prof are also names. */
export function stripOptionalWords(form: string): StrippedName {
  let name = form;
  for (let end = name.indexOf(' '); end > 0 && titles.has(name.slice(0, end)); end = name.indexOf(' ')) {
    name = name.slice(end + 1);
  }
  let last = name.lastIndexOf(' ');
  if (last > 0 && degrees.has(name.slice(last + 1))) {
    name = name.slice(0, last);
    last = name.lastIndexOf(' ');
  }
  const generation = last > 0 ? generations.get(name.slice(last + 1)) : undefined;
  if (generation !== undefined) name = name.slice(0, last);
  const first = name.indexOf(' ');
  const saint = first > 0 ? saints.get(name.slice(0, first)) : undefined;
  return { form: saint === undefined ? name : saint + name.slice(first), generation };
}

/** The generation suffix in a whole name, after any of its words; undefined if there is none. */
export function generationIn(form: string): string | undefined {
  const word = form.split(' ').find((one, at) => at > 0 && generations.has(one));
  return word === undefined ? undefined : generations.get(word);
}
