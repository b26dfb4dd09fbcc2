import { createHash, X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Clock } from '../kernel/clock.ts';
import { acceptedAlgsOf } from './client-keys.ts';

/** The names of a certificate by which a client may be known (RFC 8705, section 2.1.2): the kinds of its subjectAltName. */
export const certificateNames = ['dns', 'uri', 'ip', 'email'] as const;
export type CertificateName = (typeof certificateNames)[number];

/**
 * By which certificate a client proves itself: one that is pinned, whoever issued it (`self_signed_tls_client_auth`), in
 * DER as base64; or any with that name by an authority of ours (`tls_client_auth`).
 */
export type CertificateProof =
  | { readonly kind: 'pinned'; readonly der: string }
  | { readonly kind: 'named'; readonly name: CertificateName; readonly value: string };

/** The certificate of the caller; its connection proved that it has the key. */
export type ClientCertificate = {
  /** SHA-256 over the DER, as in `x5t#S256` (RFC 8705, section 3.1). */
  readonly thumbprint: string;
  readonly x509: X509Certificate;
  /** Whether an authority of ours issued it for clients, and its time is now, at each look: connections stay open for long. */
  readonly authorized: boolean;
};

/** Who calls over mutual TLS, by the connection or by the word of a trusted proxy; undefined without a certificate. */
export type CertificateReader = {
  read(request: IncomingMessage): ClientCertificate | undefined;
  /** Takes the proxy's header off a request that did not come from a trusted proxy. */
  strip(request: IncomingMessage): void;
};

/** What a reader needs; `header` in lower case. Without `header` no proxy is believed. */
export type CertificateReaderDeps = {
  readonly clock: Clock;
  readonly authorities: readonly X509Certificate[];
  readonly header?: string | undefined;
  readonly proxies?: BlockList | undefined;
};

/** Reads certificates; that of a connection once for all its requests. */
export function createCertificateReader({
  clock,
  authorities,
  header,
  proxies,
}: CertificateReaderDeps): CertificateReader {
  const byName = Map.groupBy(authorities, ({ subject }) => normalizeDistinguishedName(subject));
  const isOurs = (x509: X509Certificate) => {
    return isIssuedBy(byName.get(normalizeDistinguishedName(x509.issuer)) ?? [], x509, clock.now());
  };
  const connections = new WeakMap<Socket, ClientCertificate>();

  function strip(request: IncomingMessage): void {
    if (header !== undefined && !isTrusted(proxies, request.socket)) delete request.headers[header];
  }

  function read(request: IncomingMessage): ClientCertificate | undefined {
    const { socket } = request;
    if (header !== undefined && isTrusted(proxies, socket)) {
      const x509 = forwardedCertificate(request.headers[header]);
      return x509 && certificateOf(x509, () => isOurs(x509));
    }
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const x509 = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
    if (x509 === undefined) return undefined;
    // Without authorities of ours OpenSSL would ask those of the machine, which anybody gets certificates from.
    const chained = authorities.length > 0 && isChained(socket);
    const certificate = certificateOf(x509, () => (chained && isInTime(x509, clock.now())) || isOurs(x509));
    connections.set(socket, certificate);
    return certificate;
  }

  return { read, strip };
}

function certificateOf(x509: X509Certificate, isAuthorized: () => boolean): ClientCertificate {
  const thumbprint = createHash('sha256').update(x509.raw).digest('base64url');
  return {
    ...{ thumbprint, x509 },
    get authorized() {
      return isAuthorized();
    },
  };
}

function isInTime({ validFromDate, validToDate }: X509Certificate, now: number): boolean {
  return validFromDate.getTime() <= now && validToDate.getTime() >= now;
}

/** Whether OpenSSL found a way from it to an authority of ours, over certificates between that the client sent too. */
function isChained(socket: Socket): boolean {
  return socket instanceof TLSSocket && socket.authorized;
}

function isTrusted(proxies: BlockList | undefined, { remoteAddress }: Socket): boolean {
  if (proxies === undefined || remoteAddress === undefined) return false;
  // An IPv4 address that comes as ::ffff:10.0.0.5 is found as one.
  return proxies.check(remoteAddress, isIP(remoteAddress) === 6 ? 'ipv6' : 'ipv4');
}

/** The addresses of proxies, as `10.0.0.5` and `10.0.0.0/8`; undefined where one is none. */
export function parseProxyAddresses(list: readonly string[]): BlockList | undefined {
  const addresses = new BlockList();
  for (const item of list) {
    const [address = '', prefix, ...more] = item.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (isIP(address) === 0 || more.length > 0) return undefined;
    if (prefix === undefined) addresses.addAddress(address, family);
    // Digits alone: an empty text is the number 0, and would be everybody.
    else if (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 'ipv6' ? 128 : 32))
      addresses.addSubnet(address, Number(prefix), family);
    else return undefined;
  }
  return addresses;
}

/** A certificate in a header: as RFC 9440 has it, `:BASE64:`, or as PEM with percent-encoding, as nginx writes it. */
function forwardedCertificate(value: string | string[] | undefined): X509Certificate | undefined {
  // Node joins a header that stands twice by a comma, which neither form has: one of them may be the caller's own.
  if (typeof value !== 'string' || value.includes(',')) return undefined;
  const der = /^:([A-Za-z0-9+/=]+):$/.exec(value)?.[1];
  try {
    return new X509Certificate(der === undefined ? decodeURIComponent(value) : Buffer.from(der, 'base64'));
  } catch {
    return undefined;
  }
}

/** A name alike for all ways of writing it that OpenSSL takes for one: of thousands of authorities next to none is asked then. */
function normalizeDistinguishedName(name: string | undefined): string {
  // Node writes a backslash before a blank at the end.
  return (name ?? '').toLowerCase().replaceAll(/[\s\\]+/g, '');
}

const clientAuthUsage = '1.3.6.1.5.5.7.3.2';

/** Whether one of these authorities itself issued that certificate, for clients, and its time is now. */
function isIssuedBy(authorities: readonly X509Certificate[], x509: X509Certificate, now: number): boolean {
  if (x509.ca || !isInTime(x509, now)) return false;
  const uses: readonly string[] | undefined = x509.keyUsage;
  if (uses !== undefined && !uses.includes(clientAuthUsage)) return false;
  return authorities.some((authority) => {
    return isInTime(authority, now) && authority.ca && x509.checkIssued(authority) && x509.verify(authority.publicKey);
  });
}

/**
 * Whether the certificate of the connection authenticates a client that is registered with `proof` (RFC 8705, section 2): the
 * pinned certificate itself, or one with the registered name from an authority of ours.
 */
export function matchesCertificateProof(certificate: ClientCertificate, proof: CertificateProof): boolean {
  switch (proof.kind) {
    case 'pinned':
      return certificate.x509.raw.equals(Buffer.from(proof.der, 'base64'));
    case 'named':
      return certificate.authorized && hasAlternativeName(certificate.x509, proof.name, proof.value);
  }
}

/** Whether the certificate has exactly that name among its alternative names. */
export function hasAlternativeName(x509: X509Certificate, name: CertificateName, value: string): boolean {
  const label = { dns: 'DNS', uri: 'URI', ip: 'IP Address', email: 'email' }[name];
  const wanted = name === 'dns' || name === 'email' ? value.toLowerCase() : value;
  return alternativeNames(x509.subjectAltName ?? '').some(([kind, found]) => {
    return kind === label && (name === 'dns' || name === 'email' ? found.toLowerCase() : found) === wanted;
  });
}

/** Takes Node's text of subjectAltName apart; a name that could be mistaken for a list stands in it as a JSON string. */
function alternativeNames(text: string): readonly (readonly [string, string])[] {
  return [...text.matchAll(/(?:^|, )([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?=, |$)/g)].map((match) => {
    const [, kind = '', value = ''] = match;
    return [kind, value.startsWith('"') ? String(JSON.parse(value)) : value] as const;
  });
}

/** How a client proves itself by the certificate in a PEM file: pinned. Answers the fault in words for a file that is none. */
export function parsePinnedCertificate(pem: string): CertificateProof | { readonly fault: string } {
  let x509: X509Certificate;
  try {
    x509 = new X509Certificate(pem);
  } catch {
    return { fault: 'the file holds no certificate in PEM' };
  }
  const algs = acceptedAlgsOf(x509.publicKey);
  if (typeof algs === 'string') return { fault: `the key of the certificate ${algs}` };
  return { kind: 'pinned', der: x509.raw.toString('base64') };
}

/** How a client proves itself by a name, given as `dns:tax.example.gov`; the certificate has to be by an authority of ours. */
export function parseCertificateName(text: string): CertificateProof | { readonly fault: string } {
  const [, kind, value] = /^(dns|uri|ip|email):(\S{1,255})$/.exec(text) ?? [];
  const name = certificateNames.find((known) => known === kind);
  if (name === undefined || value === undefined) {
    return { fault: 'expected a name of the certificate, as dns:tax.example.gov, uri:…, ip:… or email:…' };
  }
  return { kind: 'named', name, value };
}
