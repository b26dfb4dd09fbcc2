import { lookup, Resolver } from 'node:dns/promises';
import { addAbortListener } from 'node:events';

/** Resolves a host to all its addresses. It stops when the signal aborts. */
export type ResolveHost = (
  host: string,
  signal: AbortSignal,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** With these, each of several name servers is asked twice within the timeout of a call. */
const resolverOptions = { timeout: 1_500, tries: 2, maxTimeout: 2_000 };

/**
 * Creates a resolver that asks these name servers, or those of the machine. Unlike `dns.lookup` it blocks no thread: two names whose
 * servers never answer would otherwise block all lookups of this process for 10 seconds each, and a client can register such names
 * (test/attacks/webhook-name-resolution.test.ts).
 */
export function createDnsResolver(servers?: readonly string[]): ResolveHost {
  return async (host, signal) => {
    const resolver = new Resolver(resolverOptions);
    if (servers !== undefined) resolver.setServers(servers);
    using _listener = addAbortListener(signal, () => resolver.cancel());
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
    return [...addressesIn(four, 4), ...addressesIn(six, 6)];
  };
}

function addressesIn(result: PromiseSettledResult<readonly string[]>, family: number) {
  return result.status === 'rejected' ? [] : result.value.map((address) => ({ address, family }));
}

/** Resolves by the system library, which also knows the names in the hosts file: for servers that allow private hosts. */
const resolveBySystem: ResolveHost = (host) => lookup(host, { all: true });

/** Creates the resolver for the hosts of URLs that clients choose. */
export function createHostResolver(allowPrivate: boolean): ResolveHost {
  return allowPrivate ? resolveBySystem : createDnsResolver();
}
