/** The instant (epoch ms) of a local time such as 2026-11-30T10:00, as forms send it; undefined if the text is no such time. */
export function parseLocalTime(text: string, timeZone: string): number | undefined {
  const atUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? Date.parse(`${text}:00Z`) : Number.NaN;
  if (Number.isNaN(atUtc)) return undefined;
  // Twice: the first result can be on the other side of a change of the clocks.
  const first = atUtc - offsetAt(atUtc, timeZone);
  return atUtc - offsetAt(first, timeZone);
}

/** Swedish writes the parts of a time in the order of ISO 8601. */
function offsetAt(at: number, timeZone: string): number {
  const local = new Date(at).toLocaleString('sv-SE', { timeZone });
  return Date.parse(`${local.replace(' ', 'T')}Z`) - at;
}
