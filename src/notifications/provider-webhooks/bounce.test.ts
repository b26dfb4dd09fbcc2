import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdGenerator } from '../../kernel/id.ts';
import { bounceAddressFault, createBounceAddresses, parseBounce } from './bounce.ts';

const newId = createIdGenerator({ now: () => Date.UTC(2026, 0, 15, 9) }, (bytes) => new Uint8Array(bytes));
const delivery = newId('delivery');

test('the longest accepted BOUNCE_ADDRESS gives addresses within the limit of SMTP, and a longer one is rejected', () => {
  const base = `${'b'.repeat(16)}@tax.example`;
  assert.equal(bounceAddressFault(base), undefined);
  const marked = createBounceAddresses(base, new Uint8Array(32)).addressFor({ delivery, attempt: 999 });
  assert.equal(marked.indexOf('@'), 64);
  assert.match(bounceAddressFault(`b${base}`) ?? '', /^expected at most 16 characters before the @/);
});

const addresses = createBounceAddresses('bounces@tax.example', new Uint8Array(32));

const own = addresses.addressFor({ delivery, attempt: 1 });
const failed = (status: string) => `Final-Recipient: rfc822; ada@example.org\nAction: failed\n${status}\n`;

/** A report with these groups of fields, to the address of the attempt. */
function bounceOf(groups: readonly string[], more: { head?: string; text?: string; part?: string } = {}): string {
  const { head = `To: ${own}`, text = 'Sorry.', part = 'Content-Type: message/delivery-status' } = more;
  const report = ['Reporting-MTA: dns; relay.example\n', ...groups].join('\n');
  const isBase64 = part.includes('base64');
  return `${head}
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: text/plain

${text}

--b
${part}

${isBase64 ? Buffer.from(report).toString('base64') : report}
--b
Content-Type: message/rfc822

Subject: Action: failed

--b--
`;
}

const reportOf = (status: string) => bounceOf([failed(`Status: ${status}`)]);

for (const [reason, statuses] of Object.entries({
  'address-refused': ['5.0.0', '5.1.1', '5.1.2', '5.1.6', '5.1.10', '5.2.0', '5.2.1', '5.2.4'],
  'mailbox-full': ['5.2.2', '4.2.2'],
  'message-refused': ['5.2.3', '5.3.4', '5.6.1', '5.7.1', '4.7.1'],
  'provider-refuses-us': ['5.1.7', '5.1.8'],
  'destination-unreachable': ['5.3.0', '5.3.2', '5.4.1', '5.4.4', '5.5.0', '4.0.0', '4.1.1', '4.4.1', '4.4.7'],
})) {
  test(`a bounce with ${statuses.join(', ')} is ${reason}`, () => {
    for (const status of statuses)
      assert.deepEqual(
        parseBounce(reportOf(status), addresses),
        { delivery, attempt: 1, ended: 'failed', reason },
        status,
      );
  });
}

const refused = { delivery, attempt: 1, ended: 'failed', reason: 'address-refused' };

function readsAs(raw: string, expected: object | undefined, what = raw): void {
  for (const mail of [raw, raw.replaceAll('\n', '\r\n')])
    assert.deepEqual(parseBounce(mail, addresses), expected, what);
}

test('a report without a useful status gets its reason from the quoted reply', () => {
  const cases: ReadonlyArray<[string, string]> = [
    [
      'Status: 5.0.0\nDiagnostic-Code: smtp; 550-5.7.26 This mail is unauthenticated,\n 550 5.7.26 which poses a risk',
      'message-refused',
    ],
    [
      'Status: 5.0.0 (permanent failure)\nDiagnostic-Code: smtp; 5.3.0 - Other mail system problem 550',
      'destination-unreachable',
    ],
    ['Diagnostic-Code: SMTP; 552 5.2.2 mailbox full', 'mailbox-full'],
    ['Status: 5.0.0\nDiagnostic-Code: smtp; 550 no such user, see 5.2.2', 'address-refused'],
    ['Status: 5.1.1\nDiagnostic-Code: smtp; 550 5.7.1 no', 'address-refused'],
    ['Status: 5.0.0\nDiagnostic-Code: x-own; 5.2.2', 'address-refused'],
    ['Diagnostic-Code: smtp; 550 no', 'address-refused'],
  ];
  for (const [fields, reason] of cases)
    readsAs(bounceOf([failed(fields)]), { delivery, attempt: 1, ended: 'failed', reason }, fields);
});

test('a report is decoded and parsed with comments, and a quoted report in the text is ignored', () => {
  const status = 'Status: 5.1.1';
  const encoded = (how: string) => `Content-Type: message/global-delivery-status\nContent-Transfer-Encoding: ${how}`;
  readsAs(bounceOf([failed(status)], { part: encoded('base64') }), refused);
  readsAs(bounceOf([failed('Status: 5=\n.1=2E1')], { part: encoded('quoted-printable') }), refused);
  readsAs(bounceOf([failed(status).replace('failed', 'failed (for good)')]), refused);
  const text = `Content-Type: message/delivery-status\n\n${failed(status)}`;
  readsAs(bounceOf(['Action: delayed\nStatus: 4.4.1\n'], { text }), undefined);
});

test('quoted-printable decoding removes only soft line breaks, even in a mebibyte of spaces', () => {
  const encoded = 'Content-Type: message/delivery-status\nContent-Transfer-Encoding: quoted-printable';
  const reply = 'Status: 5.0.0\nDiagnostic-Code: smtp; 552 =\n5.2.2 full';
  readsAs(bounceOf([failed(reply)], { part: encoded }), { ...refused, reason: 'mailbox-full' });
  // In a time that grew with the square of their number this would take hours.
  const padded = `Status: 5.1.1\nX-Padding: ${' '.repeat(1_000_000)}x`;
  readsAs(bounceOf([failed(padded)], { part: encoded }), refused, 'padded');
});

test('the bounce address is found in any header field, and not in the body', () => {
  const reports = [failed('Status: 5.1.1')];
  for (const head of [
    `Delivered-To: archive@tax.example\nDelivered-To: ${own}\nTo: undisclosed-recipients:;`,
    `Envelope-To: <${own}>`,
    `Received: from a by b\n for <${own}>; Thu, 15 Jan 2026 09:00:00 +0000\nTo: postmaster@tax.example`,
  ])
    readsAs(bounceOf(reports, { head }), refused, head);
  readsAs(bounceOf(reports, { head: 'To: bounces@tax.example', text: own }), undefined);
});

test('a report and its bounce address are parsed in any letter case', () => {
  const report = bounceOf([failed('Status: 5.1.1').replace('failed', 'Failed')], { head: `To: ${own.toLowerCase()}` });
  const types = /multipart\/report|delivery-status|message\//g;
  readsAs(report, refused);
  readsAs(report.replace(types, (type) => type.toUpperCase()).replace(own.toLowerCase(), own.toUpperCase()), refused);
});

test('a mail of another type does not count as a bounce, even with a report in it', () => {
  const whole = reportOf('5.1.1');
  const type = 'multipart/report; report-type=delivery-status';
  for (const other of [
    'multipart/mixed; report-type=delivery-status',
    'multipart/report; report-type=disposition-notification',
    'multipart/mixed; comment="multipart/report"; report-type=delivery-status',
    'multipart/report',
  ])
    readsAs(whole.replace(type, other), undefined, other);
  const part = 'Content-Type: application/x-message/delivery-status';
  readsAs(bounceOf([failed('Status: 5.1.1')], { part }), undefined);
});

test('a bounce of a mailing list with one reached member is no failure, and a delay does not hide a failure', () => {
  const delayed = 'Action: delayed\nStatus: 4.4.1\n';
  readsAs(bounceOf([delayed, failed('Status: 5.1.1')]), refused);
  for (const action of ['delivered', 'relayed', 'expanded'])
    readsAs(bounceOf([failed('Status: 5.1.1'), `Action: ${action}\nStatus: 2.0.0\n`]), undefined, action);
});

test('an incomplete mail does not count as a bounce', () => {
  const whole = reportOf('5.1.1');
  const odd = [
    '',
    '\n',
    '\n\n',
    'Content-Type: multipart/report',
    own,
    whole.replace('; boundary=b', ''),
    whole.replace('boundary=b', 'boundary=c'),
  ];
  for (const raw of odd) readsAs(raw, undefined, raw);
  readsAs(whole.slice(0, whole.indexOf('--b\nContent-Type: message/rfc822')), refused, 'truncated after the report');
});
