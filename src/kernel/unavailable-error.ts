import type { ProblemSlug } from './refusal.ts';

/**
 * An external system is unavailable. Adapters throw it, and `dispatch` answers with the problem `slug`. `detail` is for the caller;
 * without it the problem has its default.
 */
export class UnavailableError extends Error {
  readonly slug: ProblemSlug;
  readonly detail: string | undefined;

  constructor(slug: ProblemSlug, message: string, { detail, ...options }: ErrorOptions & { detail?: string } = {}) {
    super(message, options);
    this.name = 'Unavailable';
    this.slug = slug;
    this.detail = detail;
  }
}
