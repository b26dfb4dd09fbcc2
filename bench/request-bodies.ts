import { citizenAt, citizenCount } from './citizens.ts';
import type { RandomInteger } from './seeded-integers.ts';

/** The kinds of request body that the load generator can make. */
export type BodyKind = 'verify' | 'send';

/** One request body, and text that the correct response contains. */
export type RequestBody = { readonly text: string; readonly expectedText: string };

/** Makes the next body of a kind, with a random citizen and random words. */
export function nextRequestBody(kind: BodyKind, next: RandomInteger): RequestBody {
  return kind === 'verify' ? verifyBody(next) : sendBody(next);
}

/** One citizen in twenty always has the same wrong birth date, so that the load includes failed verifications. */
function verifyBody(next: RandomInteger): RequestBody {
  const index = next(citizenCount);
  const { citizenId, givenName, familyName, birthDate } = citizenAt(index);
  const wrong = index % 20 === 0;
  const claims = { citizenId, givenName, familyName, birthDate: wrong ? '1899-12-31' : birthDate };
  return { text: JSON.stringify(claims), expectedText: wrong ? '"verified":false' : '"verified":true' };
}

const words =
  'Your application has been received and is now being processed by the office in charge Please keep this message with your papers'.split(
    ' ',
  );

function sendBody(next: RandomInteger): RequestBody {
  const { citizenId } = citizenAt(next(citizenCount));
  const message = Array.from({ length: 40 + next(60) }, () => words[next(words.length)]).join(' ');
  const reference = `case-${next(1_000_000_000)}`;
  const body = { citizenId, subject: 'Your application', message, reference };
  return { text: JSON.stringify(body), expectedText: '"status":"accepted"' };
}
