import { lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';

/** Resolves a host to all its addresses, and gives up where the signal aborts. */
export type ResolveHost = (
  host: string,
  signal: AbortSignal,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** Of several name servers each is asked twice within the time of a call. */
const resolverOptions = { timeout: 1_500, tries: 2, maxTimeout: 2_000 };

/**
 * Asks the name servers of this machine, or those. It keeps no thread for a name: of the library of the system two names whose
 * servers never answer, as a client may name them, hold up whatever else is looked up in this process, for ten seconds each
 * (test/attacks/webhook-name-resolution.test.ts).
 */
export function createDnsResolver(servers?: readonly string[]): ResolveHost {
  return async (host, signal) => {
    const resolver = new Resolver(resolverOptions);
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
      return [...addressesIn(four, 4), ...addressesIn(six, 6)];
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

function addressesIn(found: PromiseSettledResult<readonly string[]>, family: number) {
  return found.status === 'rejected' ? [] : found.value.map((address) => ({ address, family }));
}

/** By the library of the system, which knows the names of the house as well: for where private hosts are allowed. */
const resolveBySystem: ResolveHost = (host) =>
  new Promise((resolve, reject) =>
    lookup(host, { all: true }, (fault, addresses) => (fault === null ? resolve(addresses) : reject(fault))),
  );

/** What looks the hosts of webhooks up. */
export function createHostResolver(allowPrivate: boolean): ResolveHost {
  return allowPrivate ? resolveBySystem : createDnsResolver();
}
