import type { Authorizer } from '../api/dispatch.ts';
import type { MountedHandler } from '../api/page-route.ts';
import type { RefusedPage } from '../api/problem-response.ts';
import type { SliceDeps } from '../api/slice.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { UnavailableError } from '../kernel/unavailable-error.ts';
import type { PendingNoticeOf } from './access-log-handlers.ts';
import { type CitizenOperationsDeps, createCallOperation } from './citizen-operations.ts';
import { mountCitizenPages } from './citizen-pages.ts';
import { createFormOwners } from './form-owner.ts';
import { createKeptForms } from './kept-form.ts';
import type { OwnFileOf } from './messages-handlers.ts';
import { openSignIn } from './open-sign-in.ts';
import { createPersonLookup } from './person-lookup.ts';
import { citizenPageScopes, type SignInConfig } from './sign-in-config.ts';
import { type Admission, citizenArea, citizenPaths } from './sign-in-flow.ts';
import { createCitizenRefusalPage } from './sign-in-pages.ts';
import type { SiteFrame } from './site-frame.ts';

/** The operations that the pages call, and the sign-in of citizens. */
type CitizenPagesOptions = CitizenOperationsDeps & {
  readonly publicUrl: string;
  readonly signInConfig: SignInConfig;
  readonly organisationOf: (clientId: string) => string;
  readonly frame: SiteFrame;
  /** The name of a citizen in the register. */
  readonly citizenNameOf: (citizenId: string) => Promise<string | undefined>;
  /** The language that a citizen has stated for messages. */
  readonly statedLanguageOf: (citizenId: string) => Promise<string | undefined>;
  /** The number of unread messages in the inbox of a citizen. */
  readonly unreadCountOf: (citizenId: string) => Promise<number>;
  readonly ownFileOf: OwnFileOf;
  readonly pendingNoticeOf: PendingNoticeOf;
};

/** The pages of citizens, and the page that a browser shows for a refused request. */
export type CitizenPages = { readonly mounts: readonly MountedHandler[]; readonly refusedPage: RefusedPage };

/** Opens the pages of citizens, who sign in at the configured issuer. */
export function openCitizenPages(
  app: Pick<SliceDeps, 'clock' | 'db' | 'log' | 'random' | 'root' | 'settings'>,
  options: CitizenPagesOptions,
): CitizenPages {
  const { publicUrl, signInConfig, context, boundOperation, organisationOf, frame } = options;
  const { clock, log, random, root, settings } = app;
  const onFault = (fault: unknown) => log.fault('citizen-pages', fault);
  const admit = createAdmission(context.authorizer, signInConfig.clientId);
  const signIn = openSignIn(app, { area: citizenArea, paths: citizenPaths, signInConfig, publicUrl, admit, onFault });
  const { cookies } = signIn;
  const mounts = mountCitizenPages({
    ...signIn,
    keptForms: createKeptForms({ cookies, clock, random, root, kind: 'citizen' }),
    formOwners: createFormOwners(root),
    clock,
    zones: { country: settings.registerCountry, timeZone: settings.timeZone },
    call: createCallOperation({ context, boundOperation }),
    nameOf: organisationOf,
    frame,
    personOf: createPersonLookup({
      nameOf: options.citizenNameOf,
      statedLanguageOf: options.statedLanguageOf,
      unreadCountOf: options.unreadCountOf,
      onFault,
    }),
    ownFileOf: options.ownFileOf,
    pendingNoticeOf: options.pendingNoticeOf,
    corrections: settings.registerCorrectionsUrl,
    publicUrl,
    onFault,
  });
  return { mounts, refusedPage: createCitizenRefusalPage(frame, cookies) };
}

/** Admits the citizen of a token that was issued for this client and has all scopes of the pages. */
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
    return citizenPageScopes.every((scope) => caller.scopes.has(scope)) ? { personId: caller.citizenId } : undefined;
  };
}
