import { httpProblems } from './http-problems.ts';
import { serviceProblems } from './service-problems.ts';

/** The catalogue of all refusals (RFC 9457). A slug is never removed, and never gets another meaning. */
export const problems = { ...httpProblems, ...serviceProblems } as const;
