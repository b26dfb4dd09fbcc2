import type { Setting } from '../setting.ts';
import {
  choiceType,
  countType,
  issuerType,
  pathType,
  rolesType,
  secretType,
  textType,
  wholeNumberType,
} from '../setting-types.ts';

/** The settings of the sign-in and the rights of staff. */
export const staffSettings = {
  staffIssuer: {
    name: 'STAFF_ISSUER',
    type: issuerType,
    description:
      'Issuer at which staff sign in (OpenID Connect). It enables the staff pages under `/staff` and the operations under `/v1/staff` (docs/operate/staff.md). It must differ from all TRUSTED_ISSUERS.',
  },
  staffClientId: {
    name: 'STAFF_CLIENT_ID',
    type: textType,
    description:
      'Client ID of this server at STAFF_ISSUER. Only access tokens for this client are accepted from that issuer.',
  },
  staffClientSecret: {
    name: 'STAFF_CLIENT_SECRET',
    type: secretType(textType),
    description:
      'Client secret of this server at STAFF_ISSUER. Prefer STAFF_CLIENT_KEY, which is safer. Set only one of them.',
  },
  staffClientKey: {
    name: 'STAFF_CLIENT_KEY',
    type: pathType,
    description:
      'File with the private key of this server at STAFF_ISSUER, as a JWK (private_key_jwt). Set it instead of STAFF_CLIENT_SECRET.',
  },
  staffScope: {
    name: 'STAFF_SCOPE',
    type: textType,
    default: 'openid profile',
    description: 'Scopes that the server requests at a sign-in of staff, separated by spaces.',
  },
  staffRolesClaim: {
    name: 'STAFF_ROLES_CLAIM',
    type: textType,
    default: 'roles',
    description: 'Claim of the access token that has the roles of the person: a text or a list of texts.',
  },
  staffClientClaim: {
    name: 'STAFF_CLIENT_CLAIM',
    type: textType,
    default: 'client',
    description:
      'Claim of the access token that has the id of the client of the person. They see only its messages, proposals and entries of the staff log. A person without this claim belongs to no service, and gets no rights from `staff:support` and `staff:send`. They see the proposals and entries of all services, and only counts and ids of messages.',
  },
  staffRoles: {
    name: 'STAFF_ROLES',
    type: rolesType,
    default:
      'support=staff:support caseworker=staff:send approver=staff:approve operator=staff:operate auditor=staff:audit',
    description:
      'Scopes of each role, as ROLE=SCOPE, separated by spaces or commas. Join several scopes with `+`, such as `lead=staff:support+staff:approve`. Other roles of the issuer give no rights.',
  },
  staffLookUpsPerHour: {
    name: 'STAFF_LOOK_UPS_PER_HOUR',
    type: countType,
    default: '60',
    description:
      'Number of look-ups of citizens that one person may make in an hour, and of texts of messages that one may read.',
  },
  staffFourEyes: {
    name: 'STAFF_FOUR_EYES',
    type: choiceType('on', 'off'),
    default: 'on',
    description:
      '`off`: a proposal takes effect at once, without a second person. Use this only for sandboxes without real citizens.',
  },
  staffBatchLimit: {
    name: 'STAFF_BATCH_LIMIT',
    type: countType,
    default: '500',
    description:
      'Number of messages in all batches that one person of the staff may start alone within 24 hours. Another person must approve a batch over this limit.',
  },
  staffProposalHours: {
    name: 'STAFF_PROPOSAL_HOURS',
    type: wholeNumberType(1, 720),
    default: '72',
    description: 'Number of hours in which another person can approve a proposal. After that it expires.',
  },
} as const satisfies Record<string, Setting>;
