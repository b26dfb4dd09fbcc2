import type { Timer } from '../../jobs/timer.ts';
import type { Channel, OutgoingMessage, ProviderOutcome } from '../notification/channel.ts';
import type { CitizenContact, ContactOf } from '../notification/contact.ts';

/**
 * Fictional citizens for the tests of service teams. A message to one of them is stored, queued, attempted and reported to
 * webhooks like any other. Only the provider is simulated: nothing leaves the machine.
 */
export const simulatorIds = [
  'sim-delivered',
  'sim-temp-fail',
  'sim-perm-fail',
  'sim-no-contact',
  'sim-unread',
  'sim-unknown',
  'sim-slow',
  'sim-deceased',
] as const;
type SimulatorId = (typeof simulatorIds)[number];

/** How many attempts fail before the message to `sim-temp-fail` arrives. */
const temporaryFailures = 2;
const slowMs = 10_000;

/** A domain that never resolves (RFC 2606), so that no message reaches a real address by mistake. */
const domain = 'simulator.invalid';

/** Adds the contacts of simulated citizens, for ids that the register does not know. */
export function withSimulatedContacts(contactOf: ContactOf): ContactOf {
  return async (citizenId) => {
    const known = await contactOf(citizenId);
    if (known !== undefined) return known;
    const id = simulatorIds.find((candidate) => candidate === citizenId);
    return id === undefined ? undefined : contactOfSimulator(id);
  };
}

function contactOfSimulator(id: SimulatorId): CitizenContact {
  if (id === 'sim-no-contact') return { name: 'Simulator' };
  if (id === 'sim-deceased') return { name: 'Simulator', deceased: true };
  const address = `${id}@${domain}`;
  return { name: 'Simulator', email: address, phone: address, postalLines: [address], verified: ['email', 'sms'] };
}

/** True if the providers of that citizen are simulated. */
export const isSimulated = ({ email }: CitizenContact): boolean => email?.endsWith(`@${domain}`) === true;

/** Wraps a channel: it simulates the provider for simulated citizens, and passes on every other message. */
export function simulateProvider(channel: Channel, timer: Timer): Channel {
  return {
    ...channel,
    addressOf: (contact) => (isSimulated(contact) ? contact.email : channel.addressOf(contact)),
    prepare: async (message) => {
      const id = simulatorIds.find((candidate) => message.address === `${candidate}@${domain}`);
      if (id === undefined) return await channel.prepare(message);
      return { call: () => simulateCall(id, message, timer), drop: () => undefined };
    },
  };
}

async function simulateCall(id: SimulatorId, { attempt }: OutgoingMessage, timer: Timer): Promise<ProviderOutcome> {
  switch (id) {
    case 'sim-delivered':
      return { outcome: 'delivered' };
    case 'sim-temp-fail':
      return attempt <= temporaryFailures
        ? { outcome: 'temporary', reason: 'provider-busy' }
        : { outcome: 'delivered' };
    case 'sim-perm-fail':
    case 'sim-no-contact':
    case 'sim-deceased':
      return { outcome: 'permanent', reason: 'address-refused' };
    case 'sim-unread':
      return { outcome: 'sent' };
    case 'sim-unknown':
      return { outcome: 'unknown' };
    case 'sim-slow':
      await new Promise<void>((resolve) => timer(slowMs, resolve));
      return { outcome: 'delivered' };
  }
}
