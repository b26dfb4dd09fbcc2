import { formatInstant } from '../kernel/clock.ts';

/** A deprecated operation: since when, when it ends at the earliest, and its successor. */
export type Deprecation = {
  readonly since: number;
  /** Epoch milliseconds, not before `since`. */
  readonly sunset?: number;
  /** The path of the operation to use instead. */
  readonly successor?: string;
};

/** The headers of every response of a deprecated operation (RFC 9745, RFC 8594). The link leads to the register of endpoints. */
export function deprecationHeaders({ since, sunset, successor }: Deprecation): Readonly<Record<string, string>> {
  if (sunset !== undefined && sunset < since) throw new RangeError('an operation ends after it was deprecated');
  const links = ['</docs>; rel="deprecation"; type="text/html"'];
  if (sunset !== undefined) links.push('</docs>; rel="sunset"; type="text/html"');
  if (successor !== undefined) links.push(`<${successor}>; rel="successor-version"`);
  return {
    deprecation: `@${Math.floor(since / 1_000)}`,
    ...(sunset === undefined ? {} : { sunset: new Date(sunset).toUTCString() }),
    link: links.join(', '),
  };
}

/** The deprecation for people: the OpenAPI document states it at the operation, and the `Link` header leads there. */
export function deprecationText({ since, sunset, successor }: Deprecation): string {
  const day = (at: number) => formatInstant(at).slice(0, 10);
  const end = sunset === undefined ? '' : ` It ends on ${day(sunset)} at the earliest.`;
  const instead = successor === undefined ? '' : ` Use ${successor} instead.`;
  return `Deprecated since ${day(since)}.${end}${instead}`;
}
