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
async function sectionFor(json: object, scopes: readonly string[] = ['staff:operate']): Promise<string> {
  const visit = {
    texts: locale.staffPages,
    layout: { words: citizenTextsOf(locale), site: undefined },
    member: { scopes },
    now: Date.UTC(2026, 10, 29, 12),
    token: 'token',
    call: async () => ({ status: 200, json: { ...nothing, ...json } }),
  };
  // The section uses only these members of a visit.
  return String(await attentionSection(visit as unknown as Parameters<typeof attentionSection>[0]));
}

test('each thing that needs attention has a line with the place where somebody acts', async () => {
  const at = '2026-11-27T10:00:00.000Z';
  const failure = { reason: 'provider-unreachable', count: 3, notifications: [] };
  const webhook = { clientId: 'tax-1', organisation: 'Tax <Office>' };
  const text = await sectionFor({
    failures: [
      { ...failure, channel: 'email', whoActs: 'operator' },
      { ...failure, channel: 'sms', whoActs: 'sender', count: 1, reason: 'message-refused' },
    ],
    webhooks: [
      { ...webhook, disabled: false, contact: null },
      { ...webhook, disabled: true, contact: 'it@tax.example' },
    ],
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
    '<a href="/staff/clients/tax-1">A webhook of Tax &lt;Office&gt; does not respond, and calls were given up</a></p><p>The client has no contact details.',
    'The server has disabled a webhook of Tax &lt;Office&gt;</a></p><p>Tell Tax &lt;Office&gt;: <bdi>it@tax.example</bdi>',
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
  assert.match(
    await sectionFor({}),
    /Nothing needs attention\..*No backup is recorded\..*citizen-services backup record/s,
  );
});

test('a failure of a citizen names its newest messages, with a link to the look-up for people who may make it', async () => {
  const id = 'ntf_01JD3Y9Z8Q6W2V5T4R7N0M1KXC';
  const failures = [{ channel: 'email', reason: 'address-refused', whoActs: 'citizen', count: 1, notifications: [id] }];
  assert.match(await sectionFor({ failures }), new RegExp(`<li><bdi>${id}</bdi></li>`));
  const linked = await sectionFor({ failures }, ['staff:operate', 'staff:support']);
  assert.match(linked, new RegExp(`<a href="/staff/person\\?message=${id}"><bdi>${id}</bdi></a>`));
});

test('the age of the last backup is marked after two days', async () => {
  const ageOf = async (lastBackupAt: string) => (await sectionFor({ lastBackupAt })).split('class="note">')[1] ?? '';
  assert.match(await ageOf('2026-11-29T00:00:00.000Z'), /^The last backup is less than a day old/);
  assert.match(await ageOf('2026-11-27T10:00:00.000Z'), /^<strong>The last backup is 2 days old<\/strong>/);
});
