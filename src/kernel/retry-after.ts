const dayMs = 86_400_000;

/** The forms of an HTTP date (RFC 9110, section 5.6.7); who is called may use the two old ones as well. All are in UTC. */
const httpDatePatterns = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/,
];

/**
 * How long whoever answered wants to be left alone (`Retry-After`, RFC 9110, section 10.2.3): seconds, or a date by our clock. Undefined
 * for what is neither, and for what is no time ahead or more than a day: then we go by our own pauses.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,5}$/.test(header) ? Number(header) * 1_000 : parseHttpDate(header) - now;
  return ms > 0 && ms <= dayMs ? ms : undefined;
}

function parseHttpDate(header: string): number {
  if (!httpDatePatterns.some((form) => form.test(header))) return Number.NaN;
  return Date.parse(header.endsWith('GMT') ? header : `${header} GMT`);
}
