import { createCitizenSessions } from '../access/citizen-sessions.ts';
import type { Gate, House as ServedHouse } from '../api/dispatch.ts';
import type { RefusedPage } from '../api/problem-answer.ts';
import type { Mount } from '../api/server.ts';
import type { House } from '../compose.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { Unavailable } from '../kernel/unavailable.ts';
import type { Ports } from '../operations.ts';
import { citizenOperations } from '../portal/ask-operations.ts';
import { cookiesOf } from '../portal/browser-cookies.ts';
import { citizenPages } from '../portal/citizen-pages.ts';
import { type Admission, citizenPaths, createSignInDoor } from '../portal/citizen-session.ts';
import { refusedCitizenPage } from '../portal/citizen-threshold.ts';
import { openSignIn, type SignInOrder, scopesOfPages } from './sign-in.ts';

/** What the pages stand on: the house as the operations have it, and where it is. */
type Site = { readonly publicUrl: string; readonly served: ServedHouse<Ports>; readonly order: SignInOrder };

/** The pages of citizens, and what browsers show of a request that came to none of them. */
export type CitizenSite = { readonly mounts: readonly Mount[]; readonly refusedPage: RefusedPage };

/** The pages of citizens who sign in at the issuer of that order. */
export function citizenSite(house: House, { publicUrl, served, order }: Site): CitizenSite {
  const { clock, db, log, random, root, settings } = house;
  const { clientId } = order;
  const signIn = openSignIn(order, { publicUrl, settings, clock });
  const sessions = createCitizenSessions({ db, clock, random, root });
  const onFault = sparing((fault) => log.fault('citizen-pages', fault));
  const mounts = citizenPages({
    door: createSignInDoor({
      signIn,
      sessions,
      cookies: cookiesOf(publicUrl),
      admit: admission(served.gate, clientId),
    }),
    ask: citizenOperations(served),
    nameOf: (id) => served.ports.organisationOf(id),
    site: settings.citizenPagesName,
    corrections: settings.registerCorrectionsUrl,
    publicUrl,
    // Who leaves has left this house; that the issuer cannot say how is no fault of theirs.
    leaveUrl: () =>
      signIn.leaveUrl().catch((fault: unknown) => {
        onFault(fault);
        return undefined;
      }),
    onFault,
  });
  return { mounts, refusedPage: refusedCitizenPage(settings.citizenPagesName) };
}

/** So many faults of a kind say what is wrong; more of them would fill the log, and who comes back with what no issuer sent makes one. */
const mostFaults = { count: 10, inMs: 60_000 };

/** Tells faults, of each kind so many a minute; `stopwatch` gives milliseconds that never go back, those of the machine where none is given. */
export function sparing(tell: (fault: unknown) => void, stopwatch = () => performance.now()): (fault: unknown) => void {
  const told = new Map<string, { since: number; count: number }>();
  return (fault) => {
    const [kind, now] = [fault instanceof Error ? fault.name : '', stopwatch()];
    const known = told.get(kind);
    const window = known !== undefined && now - known.since < mostFaults.inMs ? known : { since: now, count: 0 };
    told.set(kind, window);
    window.count += 1;
    if (window.count <= mostFaults.count) tell(fault);
  };
}

/** Whom a token of the issuer lets in: it has to be for this very client, and for all that the pages ask. */
function admission(gate: Gate, clientId: string) {
  return async (accessToken: string): Promise<Admission> => {
    const shown = { method: 'GET', path: citizenPaths.home, headers: {} };
    const caller = await gate.authenticate(`Bearer ${accessToken}`, 'citizen:self', shown);
    if ('slug' in caller) {
      if (problems[caller.slug].retryable) throw new Unavailable(caller.slug, caller.detail);
      return undefined;
    }
    if (caller.clientId !== clientId) return undefined;
    if (caller.citizenId === undefined) return 'nobody';
    return scopesOfPages.every((scope) => caller.scopes.has(scope)) ? { citizenId: caller.citizenId } : undefined;
  };
}
