import { hash, X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Clock } from '../kernel/clock.ts';
import { acceptedAlgsOf } from './client-keys.ts';

/** The kinds of subjectAltName that a client can be registered with (RFC 8705, section 2.1.2). */
const certificateNames = ['dns', 'uri', 'ip', 'email'] as const;
type CertificateName = (typeof certificateNames)[number];

/** A pinned certificate (`self_signed_tls_client_auth`), or a name in certificates of our authorities (`tls_client_auth`). */
export type CertificateProof =
  | { readonly kind: 'pinned'; readonly der: string }
  | { readonly kind: 'named'; readonly name: CertificateName; readonly value: string };

/** The client certificate of a request. The TLS handshake proved that the client has the private key. */
export type ClientCertificate = {
  /** SHA-256 over the DER, as in `x5t#S256` (RFC 8705, section 3.1). */
  readonly thumbprint: string;
  readonly x509: X509Certificate;
  /** Whether an authority of ours issued it for clients, and it is valid now. Computed on each access: it can expire before the connection ends. */
  readonly authorized: boolean;
};

/** Reads client certificates from the TLS connection, or from the header of a trusted proxy. */
export type CertificateReader = {
  read(request: IncomingMessage): ClientCertificate | undefined;
  /** Removes the certificate header from a request that did not come from a trusted proxy. */
  strip(request: IncomingMessage): void;
};

/** Dependencies of a certificate reader; `header` in lower case. Without `header` no proxy is trusted. */
type CertificateReaderDeps = {
  readonly clock: Clock;
  readonly authorities: readonly X509Certificate[];
  readonly header?: string | undefined;
  readonly proxies?: BlockList | undefined;
};

/** Creates a reader. It reads the certificate of a connection once for all its requests. */
export function createCertificateReader({
  clock,
  authorities,
  header,
  proxies,
}: CertificateReaderDeps): CertificateReader {
  const isOurs = (x509: X509Certificate) => isIssuedBy(authorities, x509, clock.now());
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
    const cached = connections.get(socket);
    if (cached !== undefined) return cached;
    const x509 = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
    if (x509 === undefined) return undefined;
    // Without authorities of ours OpenSSL uses those of the machine, which issue certificates to anyone. `authorized` means that
    // OpenSSL found a chain to an authority, through intermediate certificates that the client sent.
    const chained = authorities.length > 0 && socket instanceof TLSSocket && socket.authorized;
    const certificate = certificateOf(x509, () => (chained && isInTime(x509, clock.now())) || isOurs(x509));
    connections.set(socket, certificate);
    return certificate;
  }

  return { read, strip };
}

function certificateOf(x509: X509Certificate, isAuthorized: () => boolean): ClientCertificate {
  return {
    thumbprint: hash('sha256', x509.raw, 'base64url'),
    x509,
    get authorized() {
      return isAuthorized();
    },
  };
}

function isInTime({ validFromDate, validToDate }: X509Certificate, now: number): boolean {
  return validFromDate.getTime() <= now && validToDate.getTime() >= now;
}

function isTrusted(proxies: BlockList | undefined, { remoteAddress }: Socket): boolean {
  if (proxies === undefined || remoteAddress === undefined) return false;
  // The block list matches ::ffff:10.0.0.5 as the IPv4 address 10.0.0.5.
  return proxies.check(remoteAddress, isIP(remoteAddress) === 6 ? 'ipv6' : 'ipv4');
}

/** Parses proxy addresses such as `10.0.0.5` and `10.0.0.0/8`; undefined if one is invalid. */
export function parseProxyAddresses(list: readonly string[]): BlockList | undefined {
  const addresses = new BlockList();
  for (const item of list) {
    const [address = '', prefix, ...more] = item.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (isIP(address) === 0 || more.length > 0) return undefined;
    if (prefix === undefined) addresses.addAddress(address, family);
    // Digits only: an empty string is the number 0, a prefix that matches every address.
    else if (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 'ipv6' ? 128 : 32))
      addresses.addSubnet(address, Number(prefix), family);
    else return undefined;
  }
  return addresses;
}

/** Parses a certificate header: `:BASE64:` (RFC 9440), or percent-encoded PEM as nginx sends it. */
function forwardedCertificate(value: string | string[] | undefined): X509Certificate | undefined {
  // Node.js joins a repeated header with a comma, which neither form contains. One of them may come from the client.
  if (typeof value !== 'string' || value.includes(',')) return undefined;
  const der = /^:([A-Za-z0-9+/=]+):$/.exec(value)?.[1];
  try {
    return new X509Certificate(der === undefined ? decodeURIComponent(value) : Buffer.from(der, 'base64'));
  } catch {
    return undefined;
  }
}

const clientAuthUsage = '1.3.6.1.5.5.7.3.2';

/** Whether one of these authorities directly issued the certificate for clients, and both are valid now. */
function isIssuedBy(authorities: readonly X509Certificate[], x509: X509Certificate, now: number): boolean {
  if (x509.ca || !isInTime(x509, now)) return false;
  const uses: readonly string[] | undefined = x509.keyUsage;
  if (uses !== undefined && !uses.includes(clientAuthUsage)) return false;
  return authorities.some((authority) => {
    return isInTime(authority, now) && authority.ca && x509.checkIssued(authority) && x509.verify(authority.publicKey);
  });
}

/** Whether the certificate authenticates a client that is registered with `proof` (RFC 8705, section 2). */
export function matchesCertificateProof(certificate: ClientCertificate, proof: CertificateProof): boolean {
  switch (proof.kind) {
    case 'pinned':
      return certificate.x509.raw.equals(Buffer.from(proof.der, 'base64'));
    case 'named':
      return certificate.authorized && hasAlternativeName(certificate.x509, proof.name, proof.value);
  }
}

/** Whether the certificate has exactly that alternative name. */
export function hasAlternativeName(x509: X509Certificate, name: CertificateName, value: string): boolean {
  const label = { dns: 'DNS', uri: 'URI', ip: 'IP Address', email: 'email' }[name];
  const wanted = name === 'dns' || name === 'email' ? value.toLowerCase() : value;
  return alternativeNames(x509.subjectAltName ?? '').some(([kind, found]) => {
    return kind === label && (name === 'dns' || name === 'email' ? found.toLowerCase() : found) === wanted;
  });
}

/** Parses the subjectAltName text of Node.js, in which a name with special characters is a JSON string. */
function alternativeNames(text: string): readonly (readonly [string, string])[] {
  return [...text.matchAll(/(?:^|, )([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?=, |$)/g)].map((match) => {
    const [, kind = '', value = ''] = match;
    return [kind, value.startsWith('"') ? String(JSON.parse(value)) : value] as const;
  });
}

/** The pinned certificate of a PEM file, or the reason why it is not accepted. */
export function parsePinnedCertificate(pem: string): CertificateProof | { readonly fault: string } {
  let x509: X509Certificate;
  try {
    x509 = new X509Certificate(pem);
  } catch {
    return { fault: 'expected a certificate in PEM' };
  }
  const algs = acceptedAlgsOf(x509.publicKey);
  if (typeof algs === 'string') return { fault: `the key of the certificate ${algs}` };
  return { kind: 'pinned', der: x509.raw.toString('base64') };
}

/** A registered name such as `dns:tax.example.gov`, or the reason why it is not accepted. */
export function parseCertificateName(text: string): CertificateProof | { readonly fault: string } {
  const [, kind, value] = /^(dns|uri|ip|email):(\S{1,255})$/.exec(text) ?? [];
  const name = certificateNames.find((one) => one === kind);
  if (name === undefined || value === undefined) {
    return { fault: 'expected a name of the certificate, such as dns:tax.example.gov, uri:…, ip:… or email:…' };
  }
  return { kind: 'named', name, value };
}
