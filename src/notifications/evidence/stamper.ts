import { bytesWithin } from '../../kernel/bytes-within.ts';
import { ageOf, type Clock, type Random } from '../../kernel/clock.ts';
import type { Stamp } from './evidence-bundle.ts';
import { type Asked, readTimeStampAnswer, TimeStampBroken, timeStampRequest } from './time-stamp.ts';

type StamperParts = {
  readonly url: string;
  readonly trusted: Asked['trusted'];
  readonly clock: Clock;
  readonly random: Random;
  readonly timeoutMs: number;
  onFault(fault: unknown): void;
};

const nonceBytes = 16;
const longestAnswer = 65_536;
/** How far the authority's time may be from ours; what is further is refused, since one of the two is wrong. */
const mostSkewMs = 300_000;
/** After a failure it is left alone for so long, so that readers do not each wait for it. */
const restMs = 30_000;

/** Asks an authority over HTTP (RFC 3161, section 3.4). What it does not give, or gives wrong, is none, and is told. */
export function createStamper(parts: StamperParts): Stamp {
  let failedAt = Number.NEGATIVE_INFINITY;
  return async (over) => {
    if (ageOf(failedAt, parts.clock) < restMs) return undefined;
    try {
      const nonce = parts.random(nonceBytes);
      const answer = await post(parts, timeStampRequest(over, nonce));
      const { token, at } = await readTimeStampAnswer(answer, { over, nonce, trusted: parts.trusted });
      if (ageOf(at, parts.clock) > mostSkewMs) throw new TimeStampBroken('its time is not ours');
      return token;
    } catch (fault) {
      failedAt = parts.clock.now();
      parts.onFault(fault);
      return undefined;
    }
  };
}

async function post({ url, timeoutMs }: StamperParts, request: Uint8Array): Promise<Uint8Array> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    body: new Uint8Array(request),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (answer.status !== 200) throw new Error(`the time stamping authority answered ${answer.status}`);
  const bytes = await bytesWithin(answer.body, longestAnswer);
  if (bytes === undefined) throw new Error('the answer of the time stamping authority is too long');
  return bytes;
}
