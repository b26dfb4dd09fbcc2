const dayMs = 86_400_000;

/** The forms of an HTTP date (RFC 9110, section 5.6.7), all in UTC. Servers may send the two obsolete forms as well. */
const httpDatePatterns = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/,
];

/** The delay of a `Retry-After` header (RFC 9110, section 10.2.3) in ms; undefined if invalid, past or more than a day. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,5}$/.test(header) ? Number(header) * 1_000 : parseHttpDate(header) - now;
  return ms > 0 && ms <= dayMs ? ms : undefined;
}

function parseHttpDate(header: string): number {
  if (!httpDatePatterns.some((form) => form.test(header))) return Number.NaN;
  return Date.parse(header.endsWith('GMT') ? header : `${header} GMT`);
}
