const isolates = '\u2066\u2067\u2068';
const embeddings = '\u202a\u202b\u202d\u202e';
const endOfIsolate = '\u2069';
const endOfEmbedding = '\u202c';
const bidiControls = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * The text with every direction that it begins ended within it, and no end of another's (UAX #9): else it would turn round
 * what stands behind it, an amount or the host of a link.
 */
export function closeBidiControls(text: string): string {
  const open: string[] = [];
  const closed = text.replaceAll(bidiControls, (control) => {
    if (isolates.includes(control)) open.push(endOfIsolate);
    else if (embeddings.includes(control)) open.push(endOfEmbedding);
    else if (control === endOfEmbedding) return open.at(-1) === control ? (open.pop() ?? '') : '';
    else {
      const begun = open.lastIndexOf(endOfIsolate);
      // The end of an isolate ends all embeddings in it.
      if (begun < 0) return '';
      open.length = begun;
    }
    return control;
  });
  return closed + open.reverse().join('');
}
