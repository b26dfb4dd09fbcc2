/**
 * Soft hyphens, zero-width characters, and the marks, embeddings, overrides and isolates of bidirectional text. They come with copied text,
 * and nobody sees them. An emoji needs variation selectors, a Han character may need them, other letters do not.
 */
const invisible =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|(?<!\p{Script=Han})[\ufe00-\ufe0f]/gu;
/** Joiners without a letter to join. Between letters of Persian and Indic scripts, and after an Indic vowel killer, they change the spelling. */
const idleJoiner =
  /(?<![\p{L}\p{M}])[\u200c\u200d]|(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\u200c\u200d]|(?<!\p{M})[\u200c\u200d](?!\p{L})/gu;
/** Whether a text may have one of these: most texts have none. */
const suspect = /[\ufe00-\ufe0f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;

/** The text without invisible and bidirectional characters. Joiners stay where the spelling of a name needs them. */
export function removeInvisible(text: string): string {
  return suspect.test(text) ? text.replaceAll(invisible, '').replaceAll(idleJoiner, '') : text;
}
