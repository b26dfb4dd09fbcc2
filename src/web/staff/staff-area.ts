import type { SignInArea } from '../sign-in-flow.ts';

/** Paths of the staff pages. */
export const staffPaths = {
  home: '/staff',
  person: '/staff/person',
  send: '/staff/send',
  read: '/staff/read',
  templates: '/staff/templates',
  proposals: '/staff/proposals',
  clients: '/staff/clients',
  queues: '/staff/queues',
  audit: '/staff/audit',
  batches: '/staff/batches',
  service: '/staff/service',
  signIn: '/staff/sign-in',
  returned: '/staff/sign-in/return',
  signOut: '/staff/sign-out',
} as const;

/** The staff pages, for the sign-in. */
export const staffArea: SignInArea = {
  kind: 'staff',
  home: staffPaths.home,
  pages: /^\/staff(?!\/sign-)(?:\/[\w-]{1,60}){0,5}(?:\?[\w=&%.~+-]{0,200})?$/,
  tokenRule: 'It must be for STAFF_CLIENT_ID and the audience PUBLIC_URL/v1.',
};
