import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { findLastBackup } from '../db/backup-record-store.ts';
import { formatInstant } from '../kernel/clock.ts';
import { findAlarms } from '../ledger/alarm-store.ts';
import { channelNames } from '../notifications/notification/notification.ts';
import { instantSchema, literalUnion } from '../notifications/notification/notification-shape.ts';
import { findPausedChannels } from '../notifications/notification/paused-channel-store.ts';
import {
  countFailures,
  countOpenProposals,
  countQuarantined,
  failureKey,
  findCitizenFailures,
  findFailedWebhooks,
  findStoppedImports,
} from './attention-store.ts';
import type { StaffPorts } from './ports.ts';
import { staffOf } from './staff-member.ts';

const dayMs = 86_400_000;
/** An import writes its progress every few seconds. */
const importPauseMs = 10 * 60_000;

const count = Type.Integer({ minimum: 0, description: 'The number of them.' });

const attentionShape = Type.Object(
  {
    failures: Type.Array(
      Type.Object({
        channel: literalUnion(channelNames, 'The channel of the deliveries.'),
        reason: Type.String({ description: 'The code of the reason.' }),
        whoActs: Type.String({ description: 'The party that must act first: citizen, sender, operator or nobody.' }),
        detail: Type.String({ description: 'The reason in words.' }),
        count,
        notifications: Type.Array(Type.String(), {
          description:
            'The newest messages of it, at most 3, if the citizen must act; of your service, or of all services if you belong to none.',
        }),
      }),
      { description: 'Deliveries of the last 24 hours that failed, or whose outcome is unknown.' },
    ),
    webhooks: Type.Array(
      Type.Object({
        id: Type.String(),
        clientId: Type.String(),
        organisation: Type.String({ description: 'The name of the client.' }),
        disabled: Type.Boolean({
          description: 'Whether the server has disabled it. false: it has given up some calls.',
        }),
        contact: Type.Union([Type.String(), Type.Null()], {
          description: 'An email address, telephone number or URL of the client. null: it has none.',
        }),
      }),
      { description: 'Webhooks that the server has disabled, or whose calls it has given up.' },
    ),
    quarantine: Type.Array(
      Type.Object({
        verdict: Type.Union([Type.String(), Type.Null()], { description: 'The result of the scan.' }),
        count,
      }),
      { description: 'Documents that nobody can retrieve because of their scan.' },
    ),
    pausedChannels: Type.Array(
      Type.Object({
        channel: literalUnion(channelNames, 'The paused channel.'),
        at: instantSchema('Since when it takes no new delivery.'),
      }),
      { description: 'Channels that staff have paused.' },
    ),
    ledgerAlarms: Type.Array(Type.String(), { description: 'The alarms of the ledger.' }),
    stoppedImports: Type.Array(
      Type.Object({
        id: Type.String(),
        rows: Type.Integer({ minimum: 0, description: 'The number of rows that it has read.' }),
        stoppedAt: instantSchema('When it stored rows last.'),
      }),
      { description: 'Imports of citizens that did not finish.' },
    ),
    lastBackupAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When the newest backup began that "backup record" has stored. null: none is recorded.',
    }),
    proposals: Type.Object(
      {
        count,
        oldest: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
          description: 'When the oldest was made.',
        }),
      },
      {
        description:
          'Proposals of your service, or of all services if you belong to none, that wait for a decision, and when the oldest was made.',
      },
    ),
  },
  { $id: 'StaffAttention' },
);

/** The list of what operators should look at. It has counts and ids of clients, and no data of citizens. */
export const readAttention = defineOperation({
  name: 'readAttention',
  since: '1.0',
  method: 'GET',
  path: '/v1/staff/attention',
  scope: 'staff:operate',
  callers: ['staff'],
  summary: 'Read what needs attention',
  description:
    'Returns failures of the last 24 hours by reason and by who must act, failing webhooks, the quarantine, paused channels, alarms of the ledger, stopped imports, waiting proposals, and the time of the last backup.',
  request: {},
  responses: { 200: { description: 'The list.', schema: attentionShape } },
  refusals: [],
  citizenData: false,
  run: async ({ read, ports, now, caller }: OperationCall<Record<never, never>, StaffPorts>) => {
    const { service } = staffOf(caller);
    const [failures, named, webhooks, quarantine, pauses, alarms, stopped, proposals, lastBackup] = await Promise.all([
      countFailures(read, now - dayMs),
      findCitizenFailures(read, { since: now - dayMs, service }),
      findFailedWebhooks(read),
      countQuarantined(read),
      findPausedChannels(read),
      findAlarms(read),
      findStoppedImports(read, now - importPauseMs),
      countOpenProposals(read, { now, service }),
      findLastBackup(read),
    ]);
    const { organisationOf, watch } = ports;
    const json = {
      failures: failures.map((one) => ({ ...one, notifications: named.get(failureKey(one)) ?? [] })),
      webhooks: webhooks.map((one) => ({ ...one, organisation: organisationOf(one.clientId) })),
      quarantine,
      pausedChannels: pauses.map(({ channel, at }) => ({ channel, at: formatInstant(at) })),
      // Each process measures the backlog itself; processes with the role sequencer store the other alarms.
      ledgerAlarms: [...new Set([...alarms, ...watch.state().alarms])],
      stoppedImports: stopped.map(({ stoppedAt, ...one }) => ({ ...one, stoppedAt: formatInstant(stoppedAt) })),
      lastBackupAt: lastBackup === undefined ? null : formatInstant(lastBackup),
      proposals: {
        count: proposals.count,
        oldest: proposals.oldest === null ? null : formatInstant(proposals.oldest),
      },
    };
    return { plain: { status: 200, json } };
  },
});
