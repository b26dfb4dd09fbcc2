/** A refusal that a caller can receive: its cause and the fix. Each has a page at `/problems/{slug}`. */
export type ProblemType = {
  readonly status: number;
  readonly title: string;
  readonly retryable?: true;
  readonly cause: string;
  readonly fix: string;
};
