import type { ProblemSlug } from './refusal.ts';

/** An external system is unavailable. Adapters throw it, and `dispatch` answers with the problem `slug`. */
export class UnavailableError extends Error {
  readonly slug: ProblemSlug;

  constructor(slug: ProblemSlug, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Unavailable';
    this.slug = slug;
  }
}
