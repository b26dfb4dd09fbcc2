import type { Open, Problem, ProblemSlug } from './api-types.ts';

// Errors contain neither request data nor tokens. They have no `cause`, because errors of fetch can contain parts of a response.

/** The server refused a request. Branch on `slug`, the name in docs/problems.md. The texts are for people. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;
  readonly status: number;
  /** The last part of the problem type, such as `insufficient-claims`. `blank` if another program sent the response. */
  readonly slug: Open<ProblemSlug>;
  readonly title: string;
  readonly detail: string;
  readonly fix: string;
  readonly retryable: boolean;
  readonly issues: NonNullable<Problem['issues']>;
  /** The Request-Id of the response. Include it in reports to the operator. */
  readonly requestId: string;
  readonly retryAfterMs: number | undefined;

  constructor(problem: Problem, retryAfterMs: number | undefined) {
    const { status, type, title, detail, fix, retryable, issues = [], instance } = problem;
    const slug = type.split(/[/:]/).at(-1) ?? '';
    const issueTexts = issues.map((issue) => `${issue.pointer ?? issue.name ?? issue.in} ${issue.detail}`);
    super([`${status} ${slug}: ${detail}`, ...issueTexts, fix].join(' – '));
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

/** The token endpoint refused. `error` is a code of OAuth, such as `invalid_client` or `invalid_scope`. */
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

/** No response arrived, or it was not readable. The server may have processed the request. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  /** A code of Node.js, such as `ECONNREFUSED`, or `ANSWER_UNREADABLE`, `ANSWER_TOO_LARGE` or `NETWORK`. */
  readonly code: string;

  constructor(code: string) {
    super(`no response from the server: ${code}`);
    this.code = code;
  }
}

/** No response arrived within the timeout. The server may have processed the request. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super(`no response from the server within ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
  }
}

/** A list ended, but some of its records are damaged. `ids` has their ids. The server also reports them to the operator. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
  readonly ids: readonly string[];

  constructor(ids: readonly string[]) {
    super(`the list is incomplete: ${ids.length} damaged records, see ids`);
    this.ids = ids;
  }
}
