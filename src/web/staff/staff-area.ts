import type { SignInArea } from '../sign-in-flow.ts';

/** Paths of the staff pages. */
export const staffPaths = {
  home: '/staff',
  signIn: '/staff/sign-in',
  returned: '/staff/sign-in/return',
  signOut: '/staff/sign-out',
  batches: '/staff/batches',
  service: '/staff/service',
  proposals: '/staff/proposals',
} as const;

/** The staff pages, for the sign-in. */
export const staffArea: SignInArea = {
  kind: 'staff',
  home: staffPaths.home,
  pages: /^\/staff(?!\/sign-)(?:\/[\w-]{1,60}){0,4}(?:\?[\w=&%.~+-]{0,200})?$/,
  tokenRule: 'It must be for STAFF_CLIENT_ID and the audience PUBLIC_URL/v1.',
};
