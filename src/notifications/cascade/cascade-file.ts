import { type Static, Type } from 'typebox';
import { parseJsonFile } from '../../config/parse-json-file.ts';
import { parseSettingFile } from '../../config/setting-file.ts';
import type { Settings } from '../../config/settings.ts';
import { type ChannelName, declinableChannelNames, externalChannelNames } from '../notification/notification.ts';
import { literalUnion } from '../notification/notification-shape.ts';
import { quietHoursFault } from '../notification/quiet-hours.ts';
import { type CascadePolicy, type CascadeStep, defaultPolicyFor } from './cascade.ts';

const externalChannel = literalUnion(externalChannelNames);
const declinableChannel = literalUnion(declinableChannelNames);
const closed = { additionalProperties: false } as const;
const days = Type.Number({ minimum: 0, maximum: 365 });

const policyFileShape = Type.Object(
  {
    steps: Type.Array(
      Type.Object(
        { channel: externalChannel, afterDays: Type.Optional(days), reminder: Type.Optional(Type.Boolean()) },
        closed,
      ),
      { minItems: 1, maxItems: 20 },
    ),
    letterLeadDays: Type.Optional(days),
    quietHours: Type.Optional(
      Type.Object(
        {
          channels: Type.Array(declinableChannel, { minItems: 1 }),
          from: Type.Integer(),
          until: Type.Integer(),
          timeZone: Type.String(),
        },
        closed,
      ),
    ),
    verifiedOnly: Type.Optional(Type.Array(declinableChannel)),
  },
  closed,
);

type PolicyFile = Static<typeof policyFileShape>;

const dayMs = 86_400_000;
const defaultLeadDays = 5;
const settingOf = { email: 'SMTP_URL', sms: 'SMS_URL', letter: 'LETTER_SPOOL' } as const;

/**
 * The policy of the operator's file, or the default policy for the channels that have a provider. Both contain email, which fails
 * without a relay. The outbox of the demo replaces each missing provider, but the default policy of the demo uses text messages and
 * letters only if they have a provider: a visitor would not wait for days.
 */
export function cascadeOf(settings: Settings, isDemo: boolean): CascadePolicy {
  const more = new Set<ChannelName>();
  if (settings.smsUrl !== undefined) more.add('sms');
  if (settings.letterSpool !== undefined) more.add('letter');
  const { cascadePolicy: path } = settings;
  const present = new Set<ChannelName>(isDemo ? externalChannelNames : more);
  const policy =
    path === undefined
      ? defaultPolicyFor(more)
      : parseSettingFile('CASCADE_POLICY', path, (text) => parseCascadeFile(text, new Set([...present, 'email'])));
  return isDemo || settings.smtpUrl === undefined ? { ...policy, providers: present } : policy;
}

/** Parses the file of CASCADE_POLICY; throws as `parseJsonFile` does. `present`: the external channels with a provider. */
function parseCascadeFile(text: string, present: ReadonlySet<ChannelName>): CascadePolicy {
  const file = parseJsonFile(policyFileShape, text);
  const fault = policyFaultOf(file, present);
  if (fault !== undefined) throw new TypeError(fault);
  const { letterLeadDays = defaultLeadDays, quietHours, verifiedOnly } = file;
  return {
    steps: [{ channel: 'inbox', afterMs: 0 }, ...file.steps.map(stepOf)],
    letterLeadMs: letterLeadDays * dayMs,
    providers: present,
    ...(quietHours === undefined ? {} : { quiet: quietHours }),
    ...(verifiedOnly === undefined ? {} : { verifiedOnly }),
  };
}

function stepOf({ channel, afterDays = 0, reminder = false }: PolicyFile['steps'][number]): CascadeStep {
  const afterMs = Math.round(afterDays * dayMs);
  return reminder ? { channel, afterMs, reminder } : { channel, afterMs };
}

/** Checks that the schema cannot express: providers, and the order of the steps of a channel. */
function policyFaultOf({ steps, quietHours }: PolicyFile, present: ReadonlySet<ChannelName>): string | undefined {
  for (const [index, { channel, afterDays = 0, reminder = false }] of steps.entries()) {
    const at = `/steps/${index}`;
    const first = steps.find((step) => step.channel === channel && step.reminder !== true);
    if (!present.has(channel))
      return `${at}: expected a provider for ${channel}; set ${settingOf[channel]}, or remove the step`;
    if (!reminder && first !== steps[index]) return `${at}: ${channel} already has a first step; set "reminder": true`;
    if (reminder && channel === 'letter') return `${at}: a letter cannot be a reminder`;
    if (reminder && (first === undefined || (first.afterDays ?? 0) >= afterDays))
      return `${at}: expected a reminder after the first step of its channel`;
  }
  const hours = quietHours === undefined ? undefined : quietHoursFault(quietHours);
  return hours === undefined ? undefined : `/quietHours: ${hours}`;
}
