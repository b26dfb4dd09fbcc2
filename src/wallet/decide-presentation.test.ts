import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdGenerator } from '../kernel/id.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { decidePresentation } from './decide-presentation.ts';
import type { DecidedPresentation, PresentedClaims, WalletConfiguration } from './ports.ts';
import {
  type CheckedPresentation,
  type OpenPresentation,
  type PresentationEvent,
  presentationHead,
} from './protocol/presentation.ts';
import type { CredentialKind } from './trust/wallet-trust.ts';

const now = Date.UTC(2026, 5, 1);
const createId = createIdGenerator({ now: () => now }, systemRandom);
const kind: CredentialKind = {
  name: 'pid',
  types: { 'dc+sd-jwt': ['urn:eudi:pid:1'] },
  assurance: { framework: 'eidas', level: 'high' },
  statusUnknown: 'refuse',
  citizenIdFrom: 'NL',
};

/** The claims that identity receives for a number of this country. */
async function presentedBy(issuingCountry: string, keepsLink: boolean | null): Promise<PresentedClaims> {
  const terms = { purpose: 'permit', claims: ['familyName'], kinds: ['pid'] };
  const open = { id: createId('presentation'), clientId: 'permits', status: 'fetched', keepsLink, terms };
  const checked: CheckedPresentation = {
    kind: 'pid',
    claims: { familyName: 'Smith' },
    evidence: {
      credentialType: 'urn:eudi:pid:1',
      format: 'dc+sd-jwt',
      issuer: 'Issuer',
      issuingCountry,
      certificateDigest: '',
    },
    administrativeNumber: '4711',
  };
  const by = { now, createId, actor: { citizen: true } } as const;
  const head = presentationHead(open, { event: createId('event'), at: now, actor: by.actor });
  const event: PresentationEvent = { type: 'identity.presentation-fetched', ...head };
  const received: PresentedClaims[] = [];
  const ports = {
    wallets: { trust: { kinds: new Map([['pid', kind]]) } } as unknown as WalletConfiguration,
    feedEvent: () => ({ sql: '', args: [] }),
    decide: async (presented: PresentedClaims): Promise<DecidedPresentation> => {
      received.push(presented);
      return { effect: { events: [event], statements: [] }, result: { verificationId: 'ver' } };
    },
  };
  await decidePresentation(ports, open as unknown as OpenPresentation, checked, by);
  return received[0] ?? assert.fail();
}

test('a number is the citizen id only of the configured country, and is linked only with consent', async () => {
  const decided = async (country: string, keepsLink: boolean | null) => {
    const { link, isAdministrativeNumberCitizenId } = await presentedBy(country, keepsLink);
    return [isAdministrativeNumberCitizenId, link?.consented];
  };
  assert.deepEqual(await decided('NL', null), [true, false]);
  assert.deepEqual(await decided('DE', null), [false, false]);
  assert.deepEqual(await decided('DE', false), [false, false]);
  assert.deepEqual(await decided('DE', true), [false, true]);
});
