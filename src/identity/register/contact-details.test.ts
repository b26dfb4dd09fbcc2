import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createContactDetails } from './contact-details.ts';
import type { RegisterContact } from './register.ts';

const addressless = { streetAddress: null, postalCode: null, locality: null, country: null };

/** The email address and phone number that messages to a citizen with these stored ones use. */
async function addressesOf(stored: Pick<RegisterContact, 'email' | 'phone'>, phoneCountry?: string) {
  const contact = {
    citizenId: 'c',
    name: 'Ada',
    language: null,
    deceased: false,
    postalAddress: addressless,
    ...stored,
  };
  const details = await createContactDetails(
    { contactOf: async () => contact },
    { phoneCountry, registerCountry: undefined },
  )('c');
  return [details?.email, details?.phone];
}

test('a stored address is used without its invisible characters, and a phone number with its country code', async () => {
  const stored = { email: '\u200bada@exam\u00adple.org\u202c', phone: '\u202a07700 900123\u202c' };
  assert.deepEqual(await addressesOf(stored, 'GB'), ['ada@example.org', '+447700900123']);
});

test('a stored phone number that cannot be used is returned unchanged, and a missing address stays missing', async () => {
  assert.deepEqual(await addressesOf({ email: null, phone: '07700 900123' }), [undefined, '07700 900123']);
  assert.deepEqual(await addressesOf({ email: 'ada@example.org', phone: null }), ['ada@example.org', undefined]);
});
