import { addAbortListener } from 'node:events';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { unbracketedHost } from '../kernel/unbracketed-host.ts';
import type { ResolveHost } from './resolve-host.ts';

/** The host resolves to an address on an internal network, which no request of the server may reach. */
export class PrivateTarget extends Error {
  constructor() {
    super('the host resolves to an address that is not public');
    this.name = 'PrivateTarget';
  }
}

const globalIpv6Addresses = new BlockList();
globalIpv6Addresses.addSubnet('2000::', 3, 'ipv6');
const reservedAddresses = new BlockList();
for (const subnet of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // Not public within 2000::/3: protocol assignments with Teredo, documentation, and 6to4, which contains any IPv4 address.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]) {
  const [net = '', prefix] = subnet.split('/');
  reservedAddresses.addSubnet(net, Number(prefix), isIP(net) === 6 ? 'ipv6' : 'ipv4');
}

/** Whether an address is on the public internet, so in none of the special-purpose registries of RFC 6890. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !reservedAddresses.check(address, 'ipv4');
  return family === 6 && globalIpv6Addresses.check(address, 'ipv6') && !reservedAddresses.check(address, 'ipv6');
}

/** Top-level names that no public DNS has (RFC 6761, RFC 6762, RFC 8375, ICANN), and that organisations and clusters use inside. */
const internalTopLevelNames = [
  'arpa',
  'cluster',
  'corp',
  'home',
  'internal',
  'intranet',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'private',
  'svc',
];
/** Public names for the metadata of a virtual machine, which has its credentials. */
const metadataHosts = ['metadata.goog'];

/**
 * Whether a host name is only for an internal network. A dot at the end says that the name is complete: `localhost.` is `localhost`,
 * and no receiver needs it.
 */
function isInternalName(host: string): boolean {
  const labels = host.toLowerCase().split('.');
  const last = labels.at(-1) ?? '';
  return labels.length === 1 || last === '' || internalTopLevelNames.includes(last) || metadataHosts.includes(host);
}

/**
 * Parses the URL that a client chose for a webhook or its keys; undefined when it is not allowed. Plain HTTP and private hosts need the
 * setting of the operator.
 */
export function parsePublicUrl(text: string, allowPrivate: boolean): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol) || url.username !== '' || url.password !== '' || url.hash !== '')
    return undefined;
  const host = unbracketedHost(url);
  if (allowPrivate) return url;
  if (isIP(host) !== 0) return isPublicAddress(host) ? url : undefined;
  return isInternalName(host) ? undefined : url;
}

/** How the hosts of such URLs are resolved, and whether private addresses are allowed. */
export type TargetRules = { readonly resolve: ResolveHost; readonly allowPrivate: boolean };

/**
 * Resolves the addresses to connect to. Throws `PrivateTarget` when any of them is not public (server-side request forgery), and
 * rejects when the signal aborts first. Each call resolves again, because DNS can change.
 */
export async function resolveAllowedAddresses(
  url: URL,
  { resolve, allowPrivate }: TargetRules,
  signal: AbortSignal,
): ReturnType<ResolveHost> {
  const host = unbracketedHost(url);
  const family = isIP(host);
  const addresses = family === 0 ? await untilAborted(signal, resolve(host, signal)) : [{ address: host, family }];
  if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) throw new PrivateTarget();
  return addresses;
}

/**
 * The options of a request to the URL. It connects to the addresses that were checked, so a DNS answer that changes after the check (DNS
 * rebinding) has no effect.
 */
export async function publicConnection(url: URL, rules: TargetRules, signal: AbortSignal) {
  const addresses = await resolveAllowedAddresses(url, rules, signal);
  const lookup: LookupFunction = (_host, _options, done) => done(null, [...addresses]);
  // With `autoSelectFamily`, the connection asks `lookup` for all addresses.
  return { lookup, signal, agent: false, autoSelectFamily: true, maxHeaderSize: 16_384 } as const;
}

/** A resolver can hang, so the signal ends the wait. */
async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  using _listener = addAbortListener(signal, () => aborted.reject(signal.reason));
  return await Promise.race([work, aborted.promise]);
}
