import type { IncomingMessage } from 'node:http';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SessionKind } from '../auth/page-session-store.ts';
import { openSealed, SealBroken, seal } from '../crypto/chunked-encryption.ts';
import { type RootKey, UnknownRootKey } from '../crypto/root-key.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { isObject } from '../kernel/is-object.ts';
import type { Cookies } from './browser-cookies.ts';

// A form that arrives after the session has ended is kept in a cookie, encrypted for the person whose session it was. So the server
// stores nothing, and another person who signs in at this browser cannot read it (test/attacks/citizen-forms.test.ts,
// test/attacks/staff-forms.test.ts).

/** The one form of a browser that arrived after the session had ended. */
export type KeptForms = {
  /** The cookies that keep a form for that person; none if it is too large. */
  keep(form: KeptForm): readonly string[];
  /** The form that this person sent to the path within the last 30 minutes; undefined if there is none. */
  find(request: IncomingMessage, wanted: Omit<KeptForm, 'fields'>): URLSearchParams | undefined;
  /** Whether the browser keeps no form, or one of this person. */
  isOf(request: IncomingMessage, personId: string): boolean;
  /** The cookies that delete the form; none if the browser keeps none. */
  clear(request: IncomingMessage): readonly string[];
};

/** A form, the path to which it was sent, and the person whose session had ended. */
export type KeptForm = { readonly personId: string; readonly path: string; readonly fields: URLSearchParams };

type KeptFormDeps = {
  readonly cookies: Cookies;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly root: Pick<RootKey, 'id' | 'derive' | 'deriveForRoot'>;
  readonly kind: SessionKind;
};

const keptSeconds = 1_800;
/** Browsers keep cookies of up to 4096 bytes. */
const maxSealedBytes = 2_800;
/** Longer forms are not compressed, because they would not fit into a cookie. */
const maxFormBytes = 65_536;
const contextOf = (personId: string) => `citizen-services/kept-form@v1\0${personId}`;
/** Each kind of people has its own key, so that a citizen with the id of a member of staff cannot read the form. */
const keyPurposes = { citizen: 'citizen-sessions', staff: 'staff-sessions' } as const;

/** Creates the store of forms in cookies. The id of the person is part of the encryption context. */
export function createKeptForms({ cookies, clock, random, root, kind }: KeptFormDeps): KeptForms {
  const formCookie = `${kind}-form`;
  const openForm = (personId: string, value: string) => openSealedForm({ root, kind }, personId, value);
  return {
    keep: ({ personId, path, fields }) => {
      const content = Buffer.from(JSON.stringify({ path, form: [...fields], until: untilOf(clock.now()) }));
      if (content.length > maxFormBytes) return [];
      const sealed = seal(root.derive(keyPurposes[kind]), contextOf(personId), deflateRawSync(content), random);
      if (sealed.length > maxSealedBytes) return [];
      return [cookies.write(formCookie, `${root.id}-${sealed.toString('base64url')}`, keptSeconds)];
    },
    find: ({ headers }, { personId, path }) => {
      const value = cookies.read(headers.cookie, formCookie);
      const content = value === undefined ? undefined : openForm(personId, value);
      if (content === undefined || content['path'] !== path || Number(content['until']) <= clock.now())
        return undefined;
      // `keep` has written the pairs.
      return new URLSearchParams(content['form'] as [string, string][]);
    },
    isOf: ({ headers }, personId) => {
      const value = cookies.read(headers.cookie, formCookie);
      return value === undefined || openForm(personId, value) !== undefined;
    },
    clear: ({ headers }) => (cookies.read(headers.cookie, formCookie) === undefined ? [] : [cookies.clear(formCookie)]),
  };
}

const untilOf = (now: number) => now + keptSeconds * 1_000;

function openSealedForm({ root, kind }: Pick<KeptFormDeps, 'root' | 'kind'>, personId: string, value: string) {
  const at = value.indexOf('-');
  try {
    const key = root.deriveForRoot(value.slice(0, at), keyPurposes[kind]);
    const packed = openSealed(key, contextOf(personId), Buffer.from(value.slice(at + 1), 'base64url'));
    const content: unknown = JSON.parse(inflateRawSync(packed, { maxOutputLength: maxFormBytes }).toString('utf8'));
    return isObject(content) ? content : undefined;
  } catch (fault) {
    // Another person signed in, the cookie was changed, or its root key is gone.
    if (fault instanceof SealBroken || fault instanceof UnknownRootKey) return undefined;
    throw fault;
  }
}
