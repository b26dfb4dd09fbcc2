import { setTimeout as pause } from 'node:timers/promises';
import type { IssuerSignIn } from '../auth/issuer-sign-in.ts';
import type { FoundSession, PageSession, PageSessions } from '../auth/page-session-store.ts';
import type { Clock } from '../kernel/clock.ts';

type SessionRefreshDeps = {
  readonly signIn: IssuerSignIn;
  readonly sessions: PageSessions;
  readonly clock: Clock;
  onFault(fault: unknown): void;
};

/** After an issuer did not respond, the next attempt waits for this time. */
const claimMs = 60_000;
/** A request whose token has expired waits this long for the process that refreshes it. */
const wait = { tries: 8, ms: 250 };

/**
 * Refreshes the access token of a session when half of its life is over. An issuer may accept a refresh token once only, and treat
 * a second use as a theft (RFC 9700, section 4.14.2). So one process claims the refresh, and the others use the present token.
 */
export function createSessionRefresh({ signIn, sessions, clock, onFault }: SessionRefreshDeps) {
  async function refresh(secret: string, session: PageSession, refreshToken: string): Promise<void> {
    const claimed = await sessions.claimRefresh(secret, session, clock.now() + claimMs);
    if (claimed === undefined) return;
    const issued = await signIn.refresh(refreshToken);
    const isStored = await sessions.endRefresh(secret, claimed, issued);
    // The citizen signed out meanwhile, so nobody may use the new token.
    if (!isStored && issued?.refreshToken !== undefined) await signIn.revoke(issued.refreshToken);
  }

  return async (secret: string, session: PageSession): Promise<FoundSession | undefined> => {
    const { refreshToken, renewAt } = session;
    if (refreshToken === undefined || clock.now() < renewAt) return session;
    const isRefreshing = (one: PageSession) => one.refreshingUntil > clock.now();
    if (isRefreshing(session) && session.tokenEndsAt > clock.now()) return session;
    if (!isRefreshing(session)) {
      try {
        await refresh(secret, session, refreshToken);
      } catch (fault) {
        onFault(fault);
        return session;
      }
    }
    let found = await sessions.find(secret);
    for (let left = wait.tries; left > 0 && found !== undefined && !('over' in found); left -= 1) {
      if (found.tokenEndsAt > clock.now() || !isRefreshing(found)) return found;
      await pause(wait.ms);
      found = await sessions.find(secret);
    }
    return found;
  };
}
