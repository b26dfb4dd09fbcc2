import type { Authorizer, DispatchContext as ServedHouse } from '../api/dispatch.ts';
import type { MountedHandler } from '../api/page-route.ts';
import type { RefusedPage } from '../api/problem-response.ts';
import { createCitizenSessions } from '../auth/citizen-session-store.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { UnavailableError } from '../kernel/unavailable-error.ts';
import { createCookies } from '../web/browser-cookies.ts';
import { createCitizenOperations } from '../web/citizen-operations.ts';
import { mountCitizenPages } from '../web/citizen-pages.ts';
import { type Admission, citizenPaths, createSignInFlow } from '../web/sign-in-flow.ts';
import { createCitizenRefusalPage } from '../web/sign-in-pages.ts';
import type { AppContext } from './app-context.ts';
import type { Ports } from './operations.ts';
import { citizenPageScopes, createConfiguredSignIn, type SignInConfig } from './sign-in.ts';

/** What the pages stand on: the house as the operations have it, and where it is. */
type CitizenPagesOptions = {
  readonly publicUrl: string;
  readonly context: ServedHouse<Ports>;
  readonly signInConfig: SignInConfig;
};

/** The pages of citizens, and what browsers show of a request that came to none of them. */
export type CitizenPages = { readonly mounts: readonly MountedHandler[]; readonly refusedPage: RefusedPage };

/** The pages of citizens who sign in at the issuer of that order. */
export function createCitizenPages(
  app: AppContext,
  { publicUrl, context, signInConfig }: CitizenPagesOptions,
): CitizenPages {
  const { clock, db, log, random, root, settings } = app;
  const { clientId } = signInConfig;
  const signIn = createConfiguredSignIn(signInConfig, { publicUrl, settings, clock });
  const sessions = createCitizenSessions({ db, clock, random, root });
  const onFault = throttleFaults((fault) => log.fault('citizen-pages', fault));
  const mounts = mountCitizenPages({
    signInFlow: createSignInFlow({
      signIn,
      sessions,
      cookies: createCookies(publicUrl),
      admit: createAdmission(context.authorizer, clientId),
    }),
    operations: createCitizenOperations(context),
    nameOf: (id) => context.ports.organisationOf(id),
    site: settings.citizenPagesName,
    corrections: settings.registerCorrectionsUrl,
    publicUrl,
    // Who leaves has left this house; that the issuer cannot say how is no fault of theirs.
    signOutUrl: () =>
      signIn.signOutUrl().catch((fault: unknown) => {
        onFault(fault);
        return undefined;
      }),
    onFault,
  });
  return { mounts, refusedPage: createCitizenRefusalPage(settings.citizenPagesName) };
}

/** So many faults of a kind say what is wrong; more of them would fill the log, and who comes back with what no issuer sent makes one. */
const maxFaults = { count: 10, inMs: 60_000 };

/** Tells faults, of each kind so many a minute; `stopwatch` gives milliseconds that never go back, those of the machine where none is given. */
export function throttleFaults(
  report: (fault: unknown) => void,
  stopwatch = () => performance.now(),
): (fault: unknown) => void {
  const windows = new Map<string, { since: number; count: number }>();
  return (fault) => {
    const [kind, now] = [fault instanceof Error ? fault.name : '', stopwatch()];
    const known = windows.get(kind);
    const window = known !== undefined && now - known.since < maxFaults.inMs ? known : { since: now, count: 0 };
    windows.set(kind, window);
    window.count += 1;
    if (window.count <= maxFaults.count) report(fault);
  };
}

/** Whom a token of the issuer lets in: it has to be for this very client, and for all that the pages ask. */
function createAdmission(authorizer: Authorizer, clientId: string) {
  return async (accessToken: string): Promise<Admission> => {
    const presented = { method: 'GET', path: citizenPaths.home, headers: {} };
    const caller = await authorizer.authenticate(`Bearer ${accessToken}`, 'citizen:self', presented);
    if ('slug' in caller) {
      if (problems[caller.slug].retryable) throw new UnavailableError(caller.slug, caller.detail);
      return undefined;
    }
    if (caller.clientId !== clientId) return undefined;
    if (caller.citizenId === undefined) return 'nobody';
    return citizenPageScopes.every((scope) => caller.scopes.has(scope)) ? { citizenId: caller.citizenId } : undefined;
  };
}
