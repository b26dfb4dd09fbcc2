import { type Clock, elapsedMs, type RandomBytes } from '../../kernel/clock.ts';
import { readBytesUpTo } from '../../kernel/read-bytes-up-to.ts';
import type { RequestTimeStamp } from './evidence-bundle.ts';
import { parseTimeStampAnswer, TimeStampBroken, type TimeStampQuery, timeStampRequest } from './time-stamp.ts';

type TimeStampClientOptions = {
  readonly url: string;
  readonly trusted: TimeStampQuery['trusted'];
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly timeoutMs: number;
  onFault(fault: unknown): void;
};

const nonceBytes = 16;
const maxAnswerBytes = 65_536;
/** How far the authority's time may be from ours; what is further is refused, since one of the two is wrong. */
const maxSkewMs = 300_000;
/** After a failure it is left alone for so long, so that readers do not each wait for it. */
const pauseAfterFailureMs = 30_000;

/** Asks an authority over HTTP (RFC 3161, section 3.4). What it does not give, or gives wrong, is none, and is told. */
export function createTimeStampClient(options: TimeStampClientOptions): RequestTimeStamp {
  let failedAt = Number.NEGATIVE_INFINITY;
  return async (over) => {
    if (elapsedMs(failedAt, options.clock) < pauseAfterFailureMs) return undefined;
    try {
      const nonce = options.random(nonceBytes);
      const answer = await postRequest(options, timeStampRequest(over, nonce));
      const { token, at } = await parseTimeStampAnswer(answer, { over, nonce, trusted: options.trusted });
      if (elapsedMs(at, options.clock) > maxSkewMs) throw new TimeStampBroken('its time is not ours');
      return token;
    } catch (fault) {
      failedAt = options.clock.now();
      options.onFault(fault);
      return undefined;
    }
  };
}

async function postRequest({ url, timeoutMs }: TimeStampClientOptions, request: Uint8Array): Promise<Uint8Array> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    body: new Uint8Array(request),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (answer.status !== 200) throw new Error(`the time stamping authority answered ${answer.status}`);
  const bytes = await readBytesUpTo(answer.body, maxAnswerBytes);
  if (bytes === undefined) throw new Error('the answer of the time stamping authority is too long');
  return bytes;
}
