import type { MountedHandler } from '../../api/page-route.ts';
import type { SliceDeps } from '../../api/slice.ts';
import { problems } from '../../kernel/problem-catalogue.ts';
import { UnavailableError } from '../../kernel/unavailable-error.ts';
import { type CitizenOperationsDeps, createCallOperation } from '../citizen-operations.ts';
import { createKeptForms } from '../kept-form.ts';
import { openSignIn } from '../open-sign-in.ts';
import type { SignInConfig } from '../sign-in-config.ts';
import type { Admission } from '../sign-in-flow.ts';
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
  app: Pick<SliceDeps, 'clock' | 'db' | 'log' | 'random' | 'root' | 'settings'>,
  { publicUrl, signInConfig, context, boundOperation, organisationOf, frame }: StaffPagesOptions,
): readonly MountedHandler[] {
  const onFault = (fault: unknown) => app.log.fault('staff-pages', fault);

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

  const { clock, random, root } = app;
  const signIn = openSignIn(app, { area: staffArea, paths: staffPaths, signInConfig, publicUrl, admit, onFault });
  return mountStaffPages({
    ...signIn,
    keptForms: createKeptForms({ cookies: signIn.cookies, clock, random, root, kind: 'staff' }),
    createKey: () => Buffer.from(random(16)).toString('hex'),
    clock,
    call: createCallOperation({ context, boundOperation }),
    frame,
    publicUrl,
    nameOf: organisationOf,
    hiddenDays: app.settings.accessLogHiddenDays,
    onFault,
  });
}
