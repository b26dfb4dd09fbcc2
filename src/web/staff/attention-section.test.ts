import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localeFor } from '../../locales/locale.ts';
import { citizenTextsOf } from '../citizen-texts.ts';
import { attentionSection } from './attention-section.ts';

const locale = localeFor('en');
const nothing = {
  failures: [],
  webhooks: [],
  quarantine: [],
  pausedChannels: [],
  ledgerAlarms: [],
  stoppedImports: [],
  lastBackupAt: null,
  proposals: { count: 0, oldest: null },
};

/** The first page of an operator for this response of the operation. */
async function sectionFor(json: object): Promise<string> {
  const visit = {
    texts: locale.staffPages,
    layout: { words: citizenTextsOf(locale), site: undefined },
    now: Date.UTC(2026, 10, 29, 12),
    token: 'token',
    call: async () => ({ status: 200, json: { ...nothing, ...json } }),
  };
  // The section uses only these members of a visit.
  return String(await attentionSection(visit as unknown as Parameters<typeof attentionSection>[0]));
}

test('each thing that needs attention has a line with the place where somebody acts', async () => {
  const at = '2026-11-27T10:00:00.000Z';
  const failure = { reason: 'provider-unreachable', count: 3 };
  const text = await sectionFor({
    failures: [
      { ...failure, channel: 'email', whoActs: 'operator' },
      { ...failure, channel: 'sms', whoActs: 'sender', count: 1, reason: 'message-refused' },
    ],
    webhooks: [{ id: 'whk_1', clientId: 'tax-1', organisation: 'Tax <Office>' }],
    quarantine: [{ verdict: 'infected', count: 2 }],
    pausedChannels: [{ channel: 'letter', at }],
    ledgerAlarms: ['ledger-behind'],
    stoppedImports: [{ id: 'imp_1', rows: 5, stoppedAt: at }],
    proposals: { count: 1, oldest: at },
  });
  for (const line of [
    '<a href="/staff/queues">Email: 3 failed deliveries in the last 24 hours</a>',
    'We could not reach the provider of this channel. You must act. (<code>provider-unreachable</code>)',
    'The provider refused the message because of its size or content. The service must act. (<code>message-refused</code>)',
    '<a href="/staff/clients">Text message: one failed delivery in the last 24 hours</a>',
    '<a href="/staff/clients/tax-1">A webhook of Tax &lt;Office&gt; does not respond, and calls were given up</a>',
    '2 documents in quarantine: Harmful content found',
    '<code dir="ltr">citizen-services documents rescan --quarantined</code>',
    '<a href="/staff/queues">Letter is paused</a>',
    'Alarm of the ledger: ledger-behind',
    'An import of citizens stopped after 5 rows',
    '<a href="/staff/proposals">One proposal waits for a decision</a>',
  ])
    assert.ok(text.includes(line), `${line} in ${text}`);
});

test('the section says so if nothing needs attention', async () => {
  assert.match(await sectionFor({}), /Nothing needs attention\..*This server does not know/s);
});

test('the age of the last backup is marked after two days', async () => {
  const ageOf = async (lastBackupAt: string) => (await sectionFor({ lastBackupAt })).split('class="note">')[1] ?? '';
  assert.match(await ageOf('2026-11-29T00:00:00.000Z'), /^The last backup is less than a day old/);
  assert.match(await ageOf('2026-11-27T10:00:00.000Z'), /^<strong>The last backup is 2 days old<\/strong>/);
});
