import { problems } from './problem-catalogue.ts';

export type ProblemSlug = keyof typeof problems;

/** One fault of the input. It never echoes a value: `detail` says what was expected. */
export type Issue = {
  readonly in: 'query' | 'path' | 'header' | 'body';
  /** A JSON pointer into the body, as `/citizenId`. */
  readonly pointer?: string;
  /** The name of the parameter or header. */
  readonly name?: string;
  readonly code: string;
  readonly detail: string;
};

/** A refusal as a value; `dispatch` turns it into `application/problem+json`. */
export type Refusal = {
  readonly slug: ProblemSlug;
  readonly detail: string;
  readonly issues?: readonly Issue[];
  /** Members of this problem type, as `limit` or `requiredScopes`. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Headers that go with it, as `retry-after`; names in lower case. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
};

/** Makes a refusal; without `detail` the cause of the catalogue is told. No value of the caller goes into `detail`. */
export function refuse(slug: ProblemSlug, detail?: string, extra: Omit<Refusal, 'slug' | 'detail'> = {}): Refusal {
  return { slug, detail: detail ?? problems[slug].cause, ...extra };
}

/** The refusal that tells all these faults of a request. */
export function refuseIssues(issues: readonly Issue[]): Refusal {
  const count = issues.length === 1 ? '1 fault' : `${issues.length} faults`;
  return refuse('bad-request', `${count} in the request; each is in issues[].`, { issues });
}
