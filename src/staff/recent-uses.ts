import { type Static, Type } from 'typebox';
import { readAccessLog } from '../audit/access-log.ts';
import type { Usage } from '../audit/usage.ts';
import { instantSchema } from '../notifications/notification/notification-shape.ts';
import type { StaffPorts } from './ports.ts';

/** The newest uses that a look-up returns. */
const maxUses = 10;

/** The schema of a use of a citizen's data, as staff see it. */
export const recentUseShape = Type.Object(
  {
    at: instantSchema('When it happened.'),
    usage: Type.String({ description: 'The type of the ledger event.' }),
    organisation: Type.Union([Type.String(), Type.Null()], {
      description: 'The name of the organisation. null: the operator of this server.',
    }),
    purpose: Type.Optional(Type.String({ description: 'The purpose that the organisation stated.' })),
    purposeText: Type.Optional(Type.String({ description: 'The purpose in words.' })),
    reason: Type.Optional(Type.String({ description: 'Why staff looked up the citizen.' })),
    channel: Type.Optional(Type.String({ description: 'The channel of a delivery.' })),
    outcome: Type.Optional(Type.String({ description: 'The outcome of a delivery.' })),
  },
  { $id: 'StaffRecentUse', additionalProperties: false },
);
/** A use of a citizen's data, as staff see it. */
export type RecentUse = Static<typeof recentUseShape>;

type UsesDeps = Pick<StaffPorts, 'log' | 'citizenKeys' | 'organisationOf' | 'purposeTextOf'>;

/** The last uses of a citizen's data, the newest first: signed uses by others, without concealed and erased ones. */
export async function recentUsesOf(
  deps: UsesDeps,
  citizenId: string,
  { now, language }: { readonly now: number; readonly language: string },
): Promise<readonly RecentUse[]> {
  const { usages } = await readAccessLog({ ...deps, explanationOf: async () => undefined }, citizenId, {
    after: 0,
    before: Number.MAX_SAFE_INTEGER,
    limit: maxUses,
    now,
    filter: { by: 'others' },
  });
  const shown = usages.filter(({ state }) => state === 'shown');
  return shown.toReversed().map((usage) => recentUse(usage, deps, language));
}

const usagesOfStaff: ReadonlySet<string> = new Set([
  'staff.looked-up',
  'notification.content-read',
  'notification.letter-requested',
]);

function recentUse(
  { logTime, usage = '', initiatorOrg, purpose, details = {} }: Usage,
  { purposeTextOf }: UsesDeps,
  language: string,
): RecentUse {
  const isStaff = usagesOfStaff.has(usage);
  const purposeText =
    initiatorOrg === undefined || purpose === undefined
      ? undefined
      : purposeTextOf(initiatorOrg.code, purpose, language)?.text;
  return {
    at: logTime,
    usage,
    organisation: initiatorOrg?.name ?? null,
    ...(purpose === undefined ? {} : { purpose }),
    ...(purposeText === undefined ? {} : { purposeText }),
    ...(isStaff ? textMember(details, 'reason') : {}),
    ...(usage === 'notification.delivery-ended'
      ? { ...textMember(details, 'channel'), ...textMember(details, 'outcome') }
      : {}),
  };
}

function textMember(details: Readonly<Record<string, unknown>>, name: 'reason' | 'channel' | 'outcome') {
  const value = details[name];
  return typeof value === 'string' ? { [name]: value } : {};
}
