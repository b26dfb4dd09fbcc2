import type { ProblemSlug } from './refusal.ts';

/** What a request needs from outside cannot be had at present; thrown by an adapter, and answered as this problem. */
export class UnavailableError extends Error {
  readonly slug: ProblemSlug;

  constructor(slug: ProblemSlug, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Unavailable';
    this.slug = slug;
  }
}
