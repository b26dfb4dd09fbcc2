const isolates = '\u2066\u2067\u2068';
const embeddings = '\u202a\u202b\u202d\u202e';
const endOfIsolate = '\u2069';
const endOfEmbedding = '\u202c';
const bidiControls = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Closes every bidirectional control that a text opens, and removes ends without a start (UAX #9). Otherwise the text could reverse what
 * follows it, such as an amount or the host of a link.
 */
export function closeBidiControls(text: string): string {
  const open: string[] = [];
  const closed = text.replaceAll(bidiControls, (control) => {
    if (isolates.includes(control)) open.push(endOfIsolate);
    else if (embeddings.includes(control)) open.push(endOfEmbedding);
    else if (control === endOfEmbedding) return open.at(-1) === control ? (open.pop() ?? '') : '';
    else {
      const isolateStart = open.lastIndexOf(endOfIsolate);
      if (isolateStart < 0) return '';
      // The end of an isolate also ends all embeddings in it.
      open.length = isolateStart;
    }
    return control;
  });
  return closed + open.reverse().join('');
}
