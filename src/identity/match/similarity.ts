/**
 * The minimum number of edits (insert, delete, substitute, exchange adjacent letters) between two texts, or `maxEdits + 1` if it is larger.
 * Restricted Damerau-Levenshtein distance: no letter is edited twice.
 */
export function editDistance(one: string, other: string, maxEdits: number): number {
  const width = other.length;
  if (Math.abs(one.length - width) > maxEdits) return maxEdits + 1;
  if (width > maxComparedLength) return one === other ? 0 : maxEdits + 1;
  let [twoBack, before, current]: readonly [Uint16Array, Uint16Array, Uint16Array] = rows;
  for (let at = 0; at <= width; at += 1) before[at] = at;
  for (let row = 1; row <= one.length; row += 1) {
    current[0] = row;
    let least = row;
    const letter = one.charCodeAt(row - 1);
    const letterBefore = row > 1 ? one.charCodeAt(row - 2) : -1;
    for (let column = 1; column <= width; column += 1) {
      const facing = other.charCodeAt(column - 1);
      let cost = cell(before, column - 1) + (letter === facing ? 0 : 1);
      cost = Math.min(cost, cell(before, column) + 1, cell(current, column - 1) + 1);
      if (column > 1 && facing === letterBefore && letter === other.charCodeAt(column - 2)) {
        cost = Math.min(cost, cell(twoBack, column - 2) + 1);
      }
      current[column] = cost;
      if (cost < least) least = cost;
    }
    if (least > maxEdits) return maxEdits + 1;
    const free = twoBack;
    twoBack = before;
    before = current;
    current = free;
  }
  return Math.min(cell(before, width), maxEdits + 1);
}

/**
 * Longer than any name or street. Longer texts are compared for equality only, because a client must not cause expensive comparisons
 * (test/attacks/bounded-work.test.ts).
 */
export const maxComparedLength = 128;
const rowLength = maxComparedLength + 1;
const rows = [new Uint16Array(rowLength), new Uint16Array(rowLength), new Uint16Array(rowLength)] as const;
// Buffers of `jaroWinkler`: letters of the other text that are matched, and the matched letters in order.
const takenScratch = new Uint8Array(rowLength);
const foundScratch = new Uint16Array(rowLength);

function cell(row: Uint16Array, at: number): number {
  return row[at] ?? 0;
}

/** Whether the texts differ only by two exchanged letters, adjacent or not. */
export function lettersExchanged(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let first = 0;
  let second = 0;
  let differing = 0;
  for (let at = 0; at < one.length && differing < 3; at += 1) {
    if (one.charCodeAt(at) === other.charCodeAt(at)) continue;
    differing += 1;
    if (differing === 1) first = at;
    else second = at;
  }
  return differing === 2 && one[first] === other[second] && one[second] === other[first];
}

/** The Jaro-Winkler similarity from 0 to 1, with a bonus for up to four letters of a common prefix. */
export function jaroWinkler(one: string, other: string): number {
  if (one === other) return 1;
  if (one.length > maxComparedLength || other.length > maxComparedLength) return 0;
  const reach = Math.max(0, Math.floor(Math.max(one.length, other.length) / 2) - 1);
  const taken = takenScratch.fill(0, 0, other.length);
  const found = foundScratch;
  let common = 0;
  for (let at = 0; at < one.length; at += 1) {
    const letter = one.charCodeAt(at);
    const end = Math.min(other.length, at + reach + 1);
    for (let place = Math.max(0, at - reach); place < end; place += 1) {
      if (taken[place] === 0 && other.charCodeAt(place) === letter) {
        taken[place] = 1;
        found[common] = letter;
        common += 1;
        break;
      }
    }
  }
  if (common === 0) return 0;
  const jaro =
    (common / one.length + common / other.length + (common - outOfOrder(found, other, taken) / 2) / common) / 3;
  let prefix = 0;
  while (prefix < 4 && prefix < one.length && one[prefix] === other[prefix]) prefix += 1;
  return jaro + prefix * 0.1 * (1 - jaro);
}

function outOfOrder(found: Uint16Array, other: string, taken: Uint8Array): number {
  let count = 0;
  let next = 0;
  for (let place = 0; place < other.length; place += 1) {
    if (taken[place] === 0) continue;
    if (found[next] !== other.charCodeAt(place)) count += 1;
    next += 1;
  }
  return count;
}
