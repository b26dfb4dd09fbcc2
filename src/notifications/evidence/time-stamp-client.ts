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

/** The authority did not answer as RFC 3161 says. */
class TimeStampAnswerError extends Error {
  override readonly name = 'TimeStampAnswerError';
}

const nonceBytes = 16;
const maxAnswerBytes = 65_536;
/** The limit of the difference between the authority's time and ours. If it is larger, one of the clocks is wrong. */
const maxSkewMs = 300_000;
/** After a failure no request is made for this time, so that not every reader waits for a timeout. */
const pauseAfterFailureMs = 30_000;

/** Creates a client of an authority over HTTP (RFC 3161, section 3.4). A failure is reported to `onFault` and gives undefined. */
export function createTimeStampClient(options: TimeStampClientOptions): RequestTimeStamp {
  let failedAt = Number.NEGATIVE_INFINITY;
  return async (over) => {
    if (elapsedMs(failedAt, options.clock) < pauseAfterFailureMs) return undefined;
    try {
      const nonce = options.random(nonceBytes);
      const answer = await postRequest(options, timeStampRequest(over, nonce));
      const { token, at } = await parseTimeStampAnswer(answer, { over, nonce, trusted: options.trusted });
      if (elapsedMs(at, options.clock) > maxSkewMs)
        throw new TimeStampBroken('its time differs too much from the time of this server');
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
  if (answer.status !== 200)
    throw new TimeStampAnswerError(`expected status 200 from the time stamping authority, received ${answer.status}`);
  const bytes = await readBytesUpTo(answer.body, maxAnswerBytes);
  if (bytes === undefined)
    throw new TimeStampAnswerError(`the response of the time stamping authority has more than ${maxAnswerBytes} bytes`);
  return bytes;
}
