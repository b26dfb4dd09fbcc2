import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLine } from '../kernel/csv-line.ts';
import { lookUpReasons } from '../ledger/ledger-event.ts';
import { localeFor, pageLanguages } from '../locales/locale.ts';
import { citizenTextsOf } from './citizen-texts.ts';
import { type DescribedUsage, wordsOfUse } from './usage-words.ts';

const nameOf = (clientId: string) => (clientId === 'citizen-services' ? 'Civil registry' : clientId);
const head = { number: 1, logTime: '2026-06-01T12:00:00.000Z', state: 'shown' } as const;

function say(usage: Partial<DescribedUsage>, language = 'en'): string[] {
  const { who, what, rows } = wordsOfUse({ words: citizenTextsOf(localeFor(language)), nameOf }, { ...head, ...usage });
  return [
    `${who}: ${what}`,
    ...rows.map(({ label, text, href }) => `${label}: ${text}${href === undefined ? '' : ` <${href}>`}`),
  ];
}

const document = { type: 'document', id: 'doc_1', title: 'Tax bill' } as const;
const message = { type: 'message', id: 'ntf_1' } as const;

test('an entry names its document or message, with a link only if the citizen can open it', () => {
  const usage = 'document.retrieved';
  const objects = [
    { ...document, state: 'available' },
    { ...document, state: 'unavailable' },
    { type: 'document', id: 'doc_1', state: 'erased' },
    { ...message, state: 'available', title: 'Your permit' },
    { ...message, state: 'available' },
    { ...message, state: 'unavailable' },
    { ...message, state: 'erased' },
  ] as const;
  assert.deepEqual(
    objects.map((object) => say({ usage, object })[1]),
    [
      'Document: Tax bill </me/documents/doc_1>',
      'Document: Tax bill',
      'Document: a document that was erased',
      'Message: Your permit </me/messages/ntf_1>',
      'Message: a message without a subject </me/messages/ntf_1>',
      'Message: a message that is not in your inbox, such as a code',
      'Message: a message that was erased',
    ],
  );
});

test('the end of a delivery is one of the sentences for its outcome and channel', () => {
  const outcomes = ['sent', 'delivered', 'failed', 'unknown', 'retry', 'skipped'];
  assert.deepEqual(
    outcomes.map((outcome) =>
      say({ usage: 'notification.delivery-ended', initiator: 'system', details: { outcome, channel: 'sms' } }).join(
        '; ',
      ),
    ),
    [
      'Civil registry (automatic): Sent you a message by text message; Channel: Text message; Result: Sent',
      'Civil registry (automatic): Sent you a message by text message; Channel: Text message; Result: Arrived',
      'Civil registry (automatic): Could not send you a message by text message; Channel: Text message; Result: Failed',
      'Civil registry (automatic): Tried to send you a message; Channel: Text message; Result: It is not known whether it arrived',
      'Civil registry (automatic): Tried to send you a message; Channel: Text message; Result: Failed, will be tried again',
      'Civil registry (automatic): Tried to send you a message; Channel: Text message; Result: Not needed any more',
    ],
  );
});

test('an entry says which service got access, until when, and why in the words of its client', () => {
  const granted = {
    usage: 'document.granted',
    initiatorOrg: { type: 'GOV', code: 'permits', name: 'Permit Office' },
    object: { ...document, state: 'available' },
    recipientOrg: { type: 'GOV', code: 'tax', name: 'Tax Office' },
    purpose: 'council-tax',
    details: { to: 'tax', endsAt: '2026-12-31T00:00:00Z' },
  } as const;
  assert.deepEqual(say(granted).slice(2), [
    'Service with access: Tax Office',
    'Access until: 31 December 2026',
    'Why: council-tax',
  ]);
  assert.equal(say({ ...granted, purposeText: 'Council tax assessment' }).at(-1), 'Why: Council tax assessment');
});

test('an entry of staff names the operator and the reason, and no use that is concealed or erased says who', () => {
  const reason = 'Court order 4 O 12/26';
  assert.deepEqual(say({ usage: 'document.hold-placed', initiator: 'operator', details: { reason } }), [
    'Civil registry (staff): Stopped the erasure of your documents for now',
    `Reason: ${reason}`,
  ]);
  for (const state of ['hidden', 'erased'] as const)
    assert.match(say({ state, initiatorOrg: { type: 'GOV', code: 'x', name: 'x' } }).join(), /^undefined: [^x:]+$/);
});

test('a failed confirmation says why, also if the reason is not stored any more', () => {
  const failed = { usage: 'identity.verified', details: { decision: 'no_match', claimsAsked: ['birthDate'] } } as const;
  const claims = { givenName: 'match', birthDate: 'no_match' } as const;
  assert.deepEqual(say({ ...failed, explanation: { reason: 'claims-do-not-fit', claims } }).slice(1), [
    'Same as in the register: given names',
    'Different from the register: date of birth',
    'Answer: The details were not confirmed',
    'Reason: Some of the details are not the same as in the register.',
  ]);
  assert.deepEqual(say(failed).slice(1), [
    'Details that were checked: date of birth',
    'Answer: The details were not confirmed',
    'Reason: The reason is no longer stored.',
  ]);
});

test('an entry of another program version shows the names of the ledger', () => {
  const [what] = say({ usage: 'document.painted', initiator: 'citizen', details: { channel: 'pigeon' } });
  assert.equal(what, 'You: document.painted');
});

test('no language says that the server did something', () => {
  for (const language of ['en', 'nb', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'sv', 'pl', 'uk', 'tr', 'ar'])
    assert.doesNotMatch(JSON.stringify(citizenTextsOf(localeFor(language)).uses), /serve[urn]|servidor/i, language);
});

test('a cell of the table is never a formula, and keeps quotes and line breaks', () => {
  const cells = ['=1+1', '+1', '-1', '@x', '\t=1', ' =1', '\uFEFF=1', '＝1', 'a=1', 'say "no"', 'two\nlines', ''];
  assert.equal(
    csvLine(cells),
    `"'=1+1","'+1","'-1","'@x","'\t=1","' =1","'\uFEFF=1","'＝1","a=1","say ""no""","two\nlines",""\r\n`,
  );
});

test('a look-up of staff names the organisation, and its reason in words of each language', () => {
  const initiatorOrg = { type: 'GOV', code: 'tax', name: 'Tax Office' } as const;
  const usage = { usage: 'staff.looked-up', initiatorOrg, details: { reason: 'citizen-asked' } };
  const [what, reason] = say(usage);
  assert.equal(what, 'Tax Office: Looked up your messages to help you');
  assert.match(reason ?? '', /: You asked for help$/);
  for (const language of pageLanguages)
    for (const code of lookUpReasons) {
      const rows = say({ ...usage, details: { reason: code } }, language);
      assert.equal(rows.length, 2, `${language} ${code}`);
      assert.doesNotMatch(rows.join(), /staff\.looked-up|citizen-asked/);
    }
});

test('a wallet that is shown to be theirs is named as the wallet of the citizen, in each language', () => {
  const presented = (decision: string, wallet: string) =>
    ({
      usage: 'identity.verified',
      initiatorOrg: { type: 'GOV', code: 'permits', name: 'Permit Office' },
      purpose: 'residence-permit',
      details: { decision, wallet },
    }) as const;
  assert.deepEqual(say(presented('match', 'match')), [
    'Permit Office: Confirmed with your wallet',
    'Why: residence-permit',
    'Answer: The details are yours',
  ]);
  // The wallet belongs to another person, and this citizen has the same name.
  assert.deepEqual(say(presented('match', 'other')), [
    'Permit Office: Compared details from a wallet with yours',
    'Why: residence-permit',
  ]);
  const titles = pageLanguages.map((language) => say(presented('match', 'match'), language)[0]);
  assert.equal(new Set(titles).size, pageLanguages.length);
});
