import { httpProblems } from './http-problems.ts';
import type { ProblemType } from './problem-type.ts';
import { serviceProblems } from './service-problems.ts';

/** The catalogue of all refusals (RFC 9457). A slug is never removed, and never gets another meaning. */
export const problems: Readonly<Record<keyof typeof httpProblems | keyof typeof serviceProblems, ProblemType>> = {
  ...httpProblems,
  ...serviceProblems,
};
