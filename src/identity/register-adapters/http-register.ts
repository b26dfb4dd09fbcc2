import { startDeadline } from '../../jobs/deadline.ts';
import type { Timer } from '../../jobs/timer.ts';
import { type Clock, elapsedMs } from '../../kernel/clock.ts';
import { citizenIdPattern } from '../../kernel/id.ts';
import { isObject } from '../../kernel/is-object.ts';
import { readBytesUpTo } from '../../kernel/read-bytes-up-to.ts';
import { parseFormerValues } from '../import/former-values.ts';
import { formerFields, type RecordFlag } from '../import/import-fields.ts';
import { registeredBirthDate } from '../register/birth-date.ts';
import { toContact } from '../register/contact-details.ts';
import { isDecoyId } from '../register/decoy-ids.ts';
import {
  claimedValuesOf,
  maxCandidates,
  type Register,
  type RegisterRecord,
  RegisterUnavailable,
} from '../register/register.ts';

type HttpRegisterOptions = {
  /** Credentials in the URL are sent as Basic authentication. */
  readonly url: URL;
  readonly fetch: typeof fetch;
  readonly timer: Timer;
  readonly clock: Clock;
  /** Called for each failure that the caller did not cause. The error contains no values. */
  readonly onFault?: (fault: RegisterUnavailable) => void;
  readonly deadlineMs?: number;
  readonly maxBytes?: number;
};

/** After this number of consecutive failures the circuit is open: no request is sent for `openForMs`, then one request tries again. */
const failuresToOpen = 5;
const openForMs = 10_000;

/** A record as received. Each member is checked when it is read. */
type RegisterJson = Readonly<Record<string, unknown>>;

type Answer = { readonly status: number; readonly json: unknown };

/**
 * A register over HTTP. `POST find` with `{"citizenId"}` returns a record or 404; `POST search` with `{"birthDate"}` returns
 * `{"records": [...]}`, at most 101. Members of a record are claim names, and optionally email, phone, language, the flags underReview,
 * locked and deceased, and the lists formerNames and formerAddresses. Values are sent in bodies only, never in a URL, so that they are in no
 * log. Redirects are not followed.
 */
export function createHttpRegister(options: HttpRegisterOptions): Register {
  const send = withCircuitBreaker(options, (path, body) => sendRequest(options, path, body));

  /** Reads a response, and reports an invalid one. */
  function reportingFaults<T>(read: () => T): T {
    try {
      return read();
    } catch (fault) {
      if (fault instanceof RegisterUnavailable) options.onFault?.(fault);
      throw fault;
    }
  }

  async function find<T>(citizenId: string, read: (found: RegisterJson) => T): Promise<T | undefined> {
    // No citizen has a decoy id, and the register should not see it.
    if (isDecoyId(citizenId)) return undefined;
    const { status, json } = await send('find', { citizenId });
    if (status === 404) return undefined;
    const answer = requireOk(status, json);
    return reportingFaults(() => {
      const found = asObject(answer);
      // A response about another citizen must not verify this one.
      if (found['citizenId'] !== citizenId) throw new RegisterUnavailable('the register returned another citizen');
      return read(found);
    });
  }

  async function searchByBirthDate(birthDate: string): Promise<readonly RegisterRecord[]> {
    const { status, json } = await send('search', { birthDate });
    const answer = requireOk(status, json);
    return reportingFaults(() => {
      const { records } = asObject(answer);
      if (!Array.isArray(records))
        throw new RegisterUnavailable('the register returned a search result without records');
      return records.slice(0, maxCandidates + 1).map((record) => {
        const found = toRecord(asObject(record));
        // Without a valid id the access could not be recorded for the citizen.
        if (!citizenIdPattern.test(found.citizenId))
          throw new RegisterUnavailable('the register returned a person without a valid id');
        return found;
      });
    });
  }
  return {
    find: async (citizenId) => await find(citizenId, toRecord),
    search: async ({ birthDate }) => await searchByBirthDate(birthDate),
    // An external register is searched by birth date only, so people with the same names and another date are not found.
    searchCompeting: async () => ({ records: [], tooMany: false, tooManyNeighbours: false }),
    searchExactNamesakes: async ({ birthDate }) => (await searchByBirthDate(birthDate)).slice(0, maxCandidates),
    contactOf: async (citizenId) =>
      await find(citizenId, (found) => toContact((field) => textOf(found, field), flagIn(found, 'deceased'))),
    exists: async (citizenId) => (await find(citizenId, () => true)) === true,
  };
}

/**
 * Any other status means unavailable; only 404 means an unknown id. Otherwise a register that refuses all requests would make every citizen
 * unknown, and every verification a failed one.
 */
function requireOk(status: number, json: unknown): unknown {
  if (status !== 200) throw new RegisterUnavailable(`the register responded with the status ${status}`);
  return json;
}

/** Refusals that concern this server or the register, not the single request. */
const registerWideRefusals = new Set([401, 403, 408, 429]);

/** Whether the register works, possibly refusing this request: clients can send any id. */
function isRegisterWorking(status: number): boolean {
  return status === 200 || (status >= 400 && status < 500 && !registerWideRefusals.has(status));
}

type SendRequest = (path: string, body: object) => Promise<Answer>;

/** A circuit breaker: after repeated failures callers get their answer at once. */
function withCircuitBreaker({ clock, onFault }: HttpRegisterOptions, send: SendRequest): SendRequest {
  let failures = 0;
  let openedAt = Number.NEGATIVE_INFINITY;
  return async (path, body) => {
    if (elapsedMs(openedAt, clock) < openForMs)
      throw new RegisterUnavailable('the register failed repeatedly; no request is sent to it for 10 seconds');
    // Only this request tries again; for the others the circuit stays open.
    if (failures >= failuresToOpen) openedAt = clock.now();
    try {
      const answer = await send(path, body);
      failures = 0;
      openedAt = Number.NEGATIVE_INFINITY;
      return answer;
    } catch (fault) {
      failures += 1;
      if (failures >= failuresToOpen) openedAt = clock.now();
      if (fault instanceof RegisterUnavailable) onFault?.(fault);
      throw fault;
    }
  };
}

async function sendRequest(options: HttpRegisterOptions, path: string, body: object): Promise<Answer> {
  const { url, timer, deadlineMs = 2_000, maxBytes = 1_048_576 } = options;
  using deadline = startDeadline(timer, deadlineMs);
  const target = new URL(`${url.pathname.replace(/\/$/, '')}/${path}`, url);
  const { username, password } = target;
  target.username = '';
  target.password = '';
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  try {
    const response = await options.fetch(target, {
      method: 'POST',
      redirect: 'error',
      signal: deadline.signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(username === '' ? {} : { authorization: `Basic ${credentials}` }),
      },
      body: JSON.stringify(body),
    });
    const bytes = await readBytesUpTo(response.body, maxBytes);
    if (bytes === undefined) throw new RegisterUnavailable(`the register returned more than ${maxBytes} bytes`);
    if (!isRegisterWorking(response.status))
      throw new RegisterUnavailable(`the register responded with the status ${response.status}`);
    return { status: response.status, json: response.status === 200 ? JSON.parse(bytes.toString()) : {} };
  } catch (fault) {
    if (fault instanceof RegisterUnavailable) throw fault;
    // No `cause`: it may contain parts of the response.
    const kind = deadline.signal.aborted
      ? `no answer within ${deadlineMs} ms`
      : fault instanceof Error
        ? fault.name
        : '';
    throw new RegisterUnavailable(`the request to the register failed: ${kind}`);
  }
}

function asObject(json: unknown): RegisterJson {
  if (!isObject(json)) throw new RegisterUnavailable('the register did not return a JSON object');
  return json;
}

function textOf(found: RegisterJson, member: string): string | null {
  const value = found[member];
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string' || value.length > 800) {
    throw new RegisterUnavailable(`the register returned a ${member} that is not a short text`);
  }
  return value;
}

function toRecord(found: RegisterJson): RegisterRecord {
  const values = claimedValuesOf((claim) => textOf(found, claim));
  return {
    ...values,
    birthDate: registeredBirthDate(values.birthDate),
    underReview: flagIn(found, 'underReview'),
    locked: flagIn(found, 'locked'),
    deceased: flagIn(found, 'deceased'),
    ...formerValuesIn(found),
  };
}

/** An invalid flag could mean a lock, so the record is not used. */
function flagIn(found: RegisterJson, flag: RecordFlag): boolean {
  const value = found[flag] ?? false;
  if (typeof value !== 'boolean')
    throw new RegisterUnavailable(`the register returned a ${flag} that is not true or false`);
  return value;
}

function formerValuesIn(found: RegisterJson): object {
  return Object.fromEntries(
    formerFields.flatMap((field) => {
      if (found[field] === undefined || found[field] === null) return [];
      const storedText = parseFormerValues(field, JSON.stringify(found[field]))?.storedText;
      if (storedText === undefined)
        throw new RegisterUnavailable(`the register returned ${field} that is not a valid list`);
      return storedText === null ? [] : [[field, JSON.parse(storedText)]];
    }),
  );
}
