import { httpProblems } from './http-problems.ts';
import { serviceProblems } from './service-problems.ts';

/** The one catalogue of refusals (RFC 9457). A slug is never taken out or given another meaning. */
export const problems = { ...httpProblems, ...serviceProblems } as const;
