import type { SignInAttempt } from '../auth/issuer-sign-in.ts';
import { openSealed, SealBroken, seal } from '../crypto/chunked-encryption.ts';
import type { RandomBytes } from '../kernel/clock.ts';
import { hmac, hmacString } from '../kernel/hashing.ts';
import { isObject } from '../kernel/is-object.ts';

// All values of an attempt are derived from one secret in a cookie of the browser. So any number of tabs can sign in at the same
// time, and no other browser can finish an attempt.

/** The requested page, and whether the issuer was asked to show no page. The server needs both after the redirect. */
export type AttemptPage = { readonly to: string; readonly silently: boolean };

const secretPattern = /^[\w-]{43}$/;
const stateContext = 'citizen-services/sign-in@v1';
const stateKeyOf = (secret: string) => hmac('sha256', Buffer.from(secret), 'state');

/** The secret of the browser: that of its cookie, or a new one of 256 bits. */
export function attemptSecret(cookie: string | undefined, random: RandomBytes): string {
  return cookie !== undefined && secretPattern.test(cookie) ? cookie : Buffer.from(random(32)).toString('base64url');
}

/** The values of a new attempt. The state contains the page, encrypted, because the issuer must not know what a citizen reads. */
export function createAttempt(secret: string, page: AttemptPage, random: RandomBytes): SignInAttempt {
  const state = seal(stateKeyOf(secret), stateContext, Buffer.from(JSON.stringify(page)), random);
  return attemptOf(secret, state.toString('base64url'));
}

/** The attempt of this browser with that state; undefined if this browser did not begin it. */
export function findAttempt(
  secret: string | undefined,
  state: string,
): (AttemptPage & { readonly attempt: SignInAttempt }) | undefined {
  if (secret === undefined) return undefined;
  try {
    const opened = openSealed(stateKeyOf(secret), stateContext, Buffer.from(state, 'base64url')).toString('utf8');
    const page: unknown = JSON.parse(opened);
    // `createAttempt` wrote it, and it was authenticated.
    if (!isObject(page)) return undefined;
    return { to: String(page['to']), silently: page['silently'] === true, attempt: attemptOf(secret, state) };
  } catch (fault) {
    if (fault instanceof SealBroken) return undefined;
    throw fault;
  }
}

function attemptOf(secret: string, state: string): SignInAttempt {
  const derive = (name: string) => hmacString(Buffer.from(secret), `${name}\0${state}`, 'base64url');
  return { state, nonce: derive('nonce'), verifier: derive('verifier') };
}
