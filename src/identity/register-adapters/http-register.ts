import { startDeadline } from '../../jobs/deadline.ts';
import type { Timer } from '../../jobs/timer.ts';
import { type Clock, elapsedMs } from '../../kernel/clock.ts';
import { readBytesUpTo } from '../../kernel/read-bytes-up-to.ts';
import { parseFormerValues } from '../import/former-values.ts';
import { formerFields, recordFlags } from '../import/import-fields.ts';
import { claimNames } from '../register/claims.ts';
import { isDecoyId } from '../register/decoy-ids.ts';
import {
  maxCandidates,
  type Register,
  type RegisterContact,
  type RegisterRecord,
  RegisterUnavailable,
} from '../register/register.ts';

/** Where another register is asked, and within what. Every limit has its test against a server that breaks it. */
export type HttpRegisterOptions = {
  /** Its address; credentials may stand in it and are sent as Basic authentication. */
  readonly url: URL;
  readonly fetch: typeof fetch;
  readonly timer: Timer;
  readonly clock: Clock;
  /** Told of each failure but those of which the caller is the cause; no value stands in it. */
  readonly onFault?: (fault: RegisterUnavailable) => void;
  readonly deadlineMs?: number;
  readonly maxBytes?: number;
};

/** So many failures in a row open the circuit; for so long nobody is asked; then one question tries again. */
const failuresToOpen = 5;
const openForMs = 10_000;

/** A record as it came. */
type RegisterJson = Readonly<Record<string, unknown>>;

type Answer = { readonly status: number; readonly json: unknown };

/**
 * A register that is asked over HTTP: `POST find` with `{"citizenId"}` answers a record or 404, `POST search` with
 * `{"birthDate"}` answers `{"records": [...]}`, at most 101. A record has our claim names as members, and may have email,
 * phone, language, the marks underReview, locked and deceased, and formerNames and formerAddresses as lists. Values go in bodies only, never in a URL. Redirects are not followed.
 */
export function createHttpRegister(options: HttpRegisterOptions): Register {
  const send = withCircuitBreaker(options, (path, body) => sendRequest(options, path, body));

  /** Reads an answer; one that cannot be read is told of. */
  function reportingFaults<T>(read: () => T): T {
    try {
      return read();
    } catch (fault) {
      if (fault instanceof RegisterUnavailable) options.onFault?.(fault);
      throw fault;
    }
  }

  async function find<T>(citizenId: string, read: (found: RegisterJson) => T): Promise<T | undefined> {
    // Nobody has the id of a stranger; the register need not see it.
    if (isDecoyId(citizenId)) return undefined;
    const { status, json } = await send('find', { citizenId });
    if (status === 404) return undefined;
    const answer = requireOk(status, json);
    return reportingFaults(() => {
      const found = asObject(answer);
      // A register that answers about somebody else must not verify anybody.
      if (found['citizenId'] !== citizenId)
        throw new RegisterUnavailable('the register answered about another citizen');
      return read(found);
    });
  }

  async function searchByBirthDate(birthDate: string): Promise<readonly RegisterRecord[]> {
    const { status, json } = await send('search', { birthDate });
    const answer = requireOk(status, json);
    return reportingFaults(() => {
      const { records } = asObject(answer);
      if (!Array.isArray(records)) throw new RegisterUnavailable('the register answered a search without records');
      return records.slice(0, maxCandidates + 1).map((record) => {
        const found = toRecord(asObject(record));
        // Nobody could read of it who was found.
        if (found.citizenId === '' || found.citizenId.includes('\0') || !found.citizenId.isWellFormed())
          throw new RegisterUnavailable('the register answered a person without an id that can be kept');
        return found;
      });
    });
  }
  return {
    find: async (citizenId) => await find(citizenId, toRecord),
    search: async ({ birthDate }) => await searchByBirthDate(birthDate),
    // Such a register is searched by dates alone: whoever shares both names with another date is not looked for.
    searchCompeting: async () => ({ records: [], tooMany: false }),
    searchExactNamesakes: async ({ birthDate }) => (await searchByBirthDate(birthDate)).slice(0, maxCandidates),
    contactOf: async (citizenId) => await find(citizenId, toContact),
    exists: async (citizenId) => (await find(citizenId, () => true)) === true,
  };
}

/**
 * A register that refused this question alone could not be asked: that an id is nobody's is said by 404. A register that
 * has come to refuse all of ours would otherwise make everybody unknown, and each question a wrong guess.
 */
function requireOk(status: number, json: unknown): unknown {
  if (status !== 200) throw new RegisterUnavailable(`the register answered ${status}`);
  return json;
}

/** Refusals that are about us or the register, not about what was asked. */
const registerWideRefusals = new Set([401, 403, 408, 429]);

/** Whether the register is at work, though it may have refused what was asked: a client can send any id. */
function isRegisterWorking(status: number): boolean {
  return status === 200 || (status >= 400 && status < 500 && !registerWideRefusals.has(status));
}

type SendRequest = (path: string, body: object) => Promise<Answer>;

/** Asks no more for a while when the register fails again and again: callers get their answer at once. */
function withCircuitBreaker({ clock, onFault }: HttpRegisterOptions, send: SendRequest): SendRequest {
  let failures = 0;
  let openedAt = Number.NEGATIVE_INFINITY;
  return async (path, body) => {
    if (elapsedMs(openedAt, clock) < openForMs)
      throw new RegisterUnavailable('the register failed repeatedly and is left alone');
    // While the one question tries again, the others still find the circuit open.
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
    if (bytes === undefined) throw new RegisterUnavailable(`the register answered more than ${maxBytes} bytes`);
    if (!isRegisterWorking(response.status)) throw new RegisterUnavailable(`the register answered ${response.status}`);
    return { status: response.status, json: response.status === 200 ? JSON.parse(bytes.toString()) : {} };
  } catch (fault) {
    if (fault instanceof RegisterUnavailable) throw fault;
    // The cause may hold parts of the answer, so it is named by its kind alone.
    const kind = deadline.signal.aborted
      ? `no answer within ${deadlineMs} ms`
      : fault instanceof Error
        ? fault.name
        : '';
    throw new RegisterUnavailable(`the register could not be asked: ${kind}`);
  }
}

function asObject(json: unknown): RegisterJson {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new RegisterUnavailable('the register answered something that is no record');
  }
  // Any object may be looked at by its members; each is checked where it is read.
  return json as RegisterJson;
}

function textOf(found: RegisterJson, member: string): string | null {
  const value = found[member];
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string' || value.length > 800) {
    throw new RegisterUnavailable(`the register answered a ${member} that is no short text`);
  }
  return value;
}

function toRecord(found: RegisterJson): RegisterRecord {
  const values = Object.fromEntries(claimNames.map((claim) => [claim, textOf(found, claim)]));
  // Every claim has its member above; only the id may not be null.
  return {
    ...values,
    citizenId: textOf(found, 'citizenId') ?? '',
    ...Object.fromEntries(recordFlags.map((mark) => [mark, flagIn(found, mark)])),
    ...formerValuesIn(found),
  } as RegisterRecord;
}

/** A mark that is neither true nor false might have meant either: nobody is told anything by it. */
function flagIn(found: RegisterJson, flag: (typeof recordFlags)[number]): boolean {
  const value = found[flag] ?? false;
  if (typeof value !== 'boolean')
    throw new RegisterUnavailable(`the register answered a ${flag} that is not true or false`);
  return value;
}

function formerValuesIn(found: RegisterJson): object {
  return Object.fromEntries(
    formerFields.flatMap((field) => {
      if (found[field] === undefined || found[field] === null) return [];
      const kept = parseFormerValues(field, JSON.stringify(found[field]))?.storedText;
      if (kept === undefined)
        throw new RegisterUnavailable(`the register answered ${field} that are not a list of them`);
      return kept === null ? [] : [[field, JSON.parse(kept)]];
    }),
  );
}

function toContact(found: RegisterJson): RegisterContact {
  const text = (member: string) => textOf(found, member);
  return {
    citizenId: text('citizenId') ?? '',
    name: [text('givenName'), text('familyName')].filter((name) => name !== null).join(' '),
    email: text('email'),
    phone: text('phone'),
    language: text('language'),
    deceased: flagIn(found, 'deceased'),
    postalAddress: {
      streetAddress: text('streetAddress'),
      postalCode: text('postalCode'),
      locality: text('locality'),
      country: text('country'),
    },
  };
}
