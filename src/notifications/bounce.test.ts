import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMint } from '../kernel/id.ts';
import { bounceBaseFault, createBounceAddresses, readBounce } from './bounce.ts';

const mint = createMint({ now: () => Date.UTC(2026, 0, 15, 9) }, (bytes) => new Uint8Array(bytes));
const delivery = mint('delivery');

test('the longest base that is taken leaves an address that relays take, and a longer one is refused with the limit', () => {
  const base = `${'b'.repeat(16)}@tax.example`;
  assert.equal(bounceBaseFault(base), undefined);
  const marked = createBounceAddresses(base, new Uint8Array(32)).of({ delivery, attempt: 999 });
  assert.equal(marked.indexOf('@'), 64);
  assert.match(bounceBaseFault(`b${base}`) ?? '', /^expected at most 16 characters before the @/);
});

const addresses = createBounceAddresses('bounces@tax.example', new Uint8Array(32));

/** The report of a final failure, to the address of the attempt. */
const reportOf = (status: string) => `To: ${addresses.of({ delivery, attempt: 1 })}
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; relay.example

Final-Recipient: rfc822; ada@example.org
Action: failed
Status: ${status}
--b--
`;

for (const [reason, statuses] of Object.entries({
  'address-refused': ['5.0.0', '5.1.1', '5.1.2', '5.1.6', '5.1.10', '5.2.0', '5.2.1', '5.2.4'],
  'mailbox-full': ['5.2.2', '4.2.2'],
  'message-refused': ['5.2.3', '5.3.4', '5.6.1', '5.7.1', '4.7.1'],
  'provider-refuses-us': ['5.1.7', '5.1.8'],
  'destination-unreachable': ['5.3.0', '5.3.2', '5.4.1', '5.4.4', '5.5.0', '4.0.0', '4.1.1', '4.4.1', '4.4.7'],
})) {
  test(`a bounce with ${statuses.join(', ')} is ${reason}`, () => {
    for (const status of statuses)
      assert.deepEqual(readBounce(reportOf(status), addresses), { delivery, ended: 'failed', reason }, status);
  });
}
