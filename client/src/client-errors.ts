import type { Open, Problem, ProblemSlug } from './api-types.ts';

// No error holds what was sent or a token. There is no `cause`: those of fetch may hold bytes of an answer.

/** The server refused. Branch on `slug`, the name in docs/problems.md; texts are for people. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;
  readonly status: number;
  /** The last part of the type of the problem, as `insufficient-claims`; `blank` where it came from another program. */
  readonly slug: Open<ProblemSlug>;
  readonly title: string;
  readonly detail: string;
  readonly fix: string;
  readonly retryable: boolean;
  readonly issues: NonNullable<Problem['issues']>;
  /** The Request-Id of the answer: tell it to the operator. */
  readonly requestId: string;
  readonly retryAfterMs: number | undefined;

  constructor(problem: Problem, retryAfterMs: number | undefined) {
    const { status, type, title, detail, fix, retryable, issues = [], instance } = problem;
    const slug = type.split(/[/:]/).at(-1) ?? '';
    const places = issues.map((issue) => `${issue.pointer ?? issue.name ?? issue.in} ${issue.detail}`);
    super([`${status} ${slug}: ${detail}`, ...places, fix].join(' – '));
    this.problem = problem;
    this.status = status;
    this.slug = slug;
    this.title = title;
    this.detail = detail;
    this.fix = fix;
    this.retryable = retryable;
    this.issues = issues;
    this.requestId = instance;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The token endpoint refused, in the words of OAuth: `invalid_client`, `invalid_scope` and others. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly status: number;
  readonly error: string;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, { error, description }: { error: string; description: string }, retryAfterMs?: number) {
    super(`no access token: ${error}: ${description}`);
    this.status = status;
    this.error = error;
    this.retryAfterMs = retryAfterMs;
  }
}

/** No answer came, or none that can be read: whether the request was carried out is not known. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  /** As Node.js names it, `ECONNREFUSED`; or `ANSWER_UNREADABLE`. */
  readonly code: string;

  constructor(code: string) {
    super(`no answer of the server: ${code}`);
    this.code = code;
  }
}

/** No answer within the time for it: whether the request was carried out is not known. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super(`no answer of the server within ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
  }
}

/** A list came to its end, and some of what belongs to it cannot be read by anybody. The operator was told. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
  readonly ids: readonly string[];

  constructor(ids: readonly string[]) {
    super(`the list is not whole: the record of ${ids.length} is damaged; ids has them`);
    this.ids = ids;
  }
}
