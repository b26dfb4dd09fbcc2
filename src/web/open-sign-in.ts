import type { SliceDeps } from '../api/slice.ts';
import { createPageSessions } from '../auth/page-session-store.ts';
import { createCookies } from './browser-cookies.ts';
import { createConfiguredSignIn, type SignInConfig, type SignInPaths } from './sign-in-config.ts';
import { type Admission, createSignInFlow, type SignInArea } from './sign-in-flow.ts';

type SignInOptions = {
  readonly area: SignInArea;
  readonly paths: SignInPaths;
  readonly signInConfig: SignInConfig;
  readonly publicUrl: string;
  readonly admit: (accessToken: string) => Promise<Admission>;
  onFault(fault: unknown): void;
};

/** Opens the sign-in of one kind of people, with its sessions and cookies, and the sign-out page of its issuer. */
export function openSignIn(
  { clock, db, random, root }: Pick<SliceDeps, 'clock' | 'db' | 'random' | 'root'>,
  { area, paths, signInConfig, publicUrl, admit, onFault }: SignInOptions,
) {
  const signIn = createConfiguredSignIn(signInConfig, { publicUrl, clock, paths });
  const sessions = createPageSessions({ db, clock, random, root, kind: area.kind });
  const cookies = createCookies(publicUrl);
  return {
    cookies,
    signInFlow: createSignInFlow({ area, signIn, sessions, cookies, admit, clock, random, onFault }),
    // The person is signed out here in any case. If the issuer cannot be reached, its sign-out page is left out.
    signOutUrl: () =>
      signIn.signOutUrl().catch((fault: unknown) => {
        onFault(fault);
        return undefined;
      }),
  };
}
