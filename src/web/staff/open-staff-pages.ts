import type { MountedHandler } from '../../api/page-route.ts';
import type { SliceDeps } from '../../api/slice.ts';
import { createPageSessions } from '../../auth/page-session-store.ts';
import { problems } from '../../kernel/problem-catalogue.ts';
import { UnavailableError } from '../../kernel/unavailable-error.ts';
import { createCookies } from '../browser-cookies.ts';
import { type CitizenOperationsDeps, createCallOperation } from '../citizen-operations.ts';
import { createKeptForms } from '../kept-form.ts';
import { createConfiguredSignIn, type SignInConfig } from '../sign-in-config.ts';
import { type Admission, createSignInFlow } from '../sign-in-flow.ts';
import type { SiteFrame } from '../site-frame.ts';
import { staffArea, staffPaths } from './staff-area.ts';
import { mountStaffPages } from './staff-pages.ts';

type StaffPagesOptions = CitizenOperationsDeps & {
  readonly publicUrl: string;
  readonly signInConfig: SignInConfig;
  readonly organisationOf: (clientId: string) => string;
  readonly frame: SiteFrame;
};

/** Opens the pages of staff, who sign in at STAFF_ISSUER. */
export function openStaffPages(
  { clock, db, log, random, root }: Pick<SliceDeps, 'clock' | 'db' | 'log' | 'random' | 'root'>,
  { publicUrl, signInConfig, context, boundOperation, organisationOf, frame }: StaffPagesOptions,
): readonly MountedHandler[] {
  const signIn = createConfiguredSignIn(signInConfig, { publicUrl, clock, paths: staffPaths });
  const sessions = createPageSessions({ db, clock, random, root, kind: 'staff' });
  const onFault = (fault: unknown) => log.fault('staff-pages', fault);
  const cookies = createCookies(publicUrl);

  /** Admits each person whose token is of staff. Their scopes are checked by each operation. */
  async function admit(accessToken: string): Promise<Admission> {
    const presented = { method: 'GET', path: staffPaths.home, headers: {} };
    const caller = await context.authorizer.authenticate(`Bearer ${accessToken}`, 'any', presented);
    if ('slug' in caller) {
      if (problems[caller.slug].retryable) throw new UnavailableError(caller.slug, caller.detail);
      return undefined;
    }
    return caller.staff === undefined ? undefined : { personId: caller.staff.subject };
  }

  return mountStaffPages({
    signInFlow: createSignInFlow({ area: staffArea, signIn, sessions, cookies, admit, clock, random, onFault }),
    keptForms: createKeptForms({ cookies, clock, random, root, kind: 'staff' }),
    clock,
    createKey: () => Buffer.from(random(16)).toString('hex'),
    call: createCallOperation({ context, boundOperation }),
    frame,
    cookies,
    publicUrl,
    nameOf: organisationOf,
    // The person is signed out here in any case. If the issuer cannot be reached, its sign-out page is left out.
    signOutUrl: () =>
      signIn.signOutUrl().catch((fault: unknown) => {
        onFault(fault);
        return undefined;
      }),
    onFault,
  });
}
