import { problems } from './problem-catalogue.ts';

/** The name of a problem in the catalogue, and the last part of its `type` URL. */
export type ProblemSlug = keyof typeof problems;

/** The kinds of faults, for every part of a request and for the values of placeholders alike. More may follow. */
export const issueCodes = [
  'required',
  'unknown-input',
  'repeated',
  'wrong-type',
  'too-short',
  'too-long',
  'out-of-range',
  'malformed',
  'not-allowed',
  'not-found',
  'not-valid',
] as const;
/** One of these kinds. */
export type IssueCode = (typeof issueCodes)[number];

/** One fault of the input. `detail` says what was expected, and never repeats the value. */
export type Issue = {
  readonly in: 'query' | 'path' | 'header' | 'body';
  /** A JSON pointer into the body, such as `/citizenId`. */
  readonly pointer?: string;
  readonly name?: string;
  readonly code: IssueCode;
  readonly detail: string;
};

/** A refusal as a value; `dispatch` answers it as `application/problem+json`. */
export type Refusal = {
  readonly slug: ProblemSlug;
  readonly detail: string;
  readonly issues?: readonly Issue[];
  /** Members of this problem type, such as `limit` or `requiredScopes`. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Headers of the answer, such as `retry-after`; names in lower case. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
};

/** Whether a result is a refusal. */
export const isRefusal = (value: object): value is Refusal => 'slug' in value;

/** Creates a refusal; without `detail` it has the cause of the catalogue. Never put a value of the caller into `detail`. */
export function refuse(slug: ProblemSlug, detail?: string, extra: Omit<Refusal, 'slug' | 'detail'> = {}): Refusal {
  return { slug, detail: detail ?? problems[slug].cause, ...extra };
}

/** The refusal `bad-request` with all faults of a request. */
export function refuseIssues(issues: readonly Issue[]): Refusal {
  const count = issues.length === 1 ? '1 fault' : `${issues.length} faults`;
  return refuse('bad-request', `${count} in the request; each is in issues[].`, { issues });
}
