import { isObject } from '../kernel/is-object.ts';

/**
 * The registration certificates of a client by purpose: each is a JWT (ETSI TS 119 475) of a national register, and names what the
 * client may ask wallets for.
 */
export type RegistrationCertificates = { readonly [purpose in string]?: string };

/** In characters. The request to a wallet contains the certificate. */
const maxCertificateLength = 16_384;
const certificateType = 'rc-wrp+jwt';
const compactPattern = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Parses a certificate at an instant (epoch ms), or returns the reason why it is not accepted. Wallets check the signature. */
export function parseRegistrationCertificate(
  text: string,
  now: number,
): { readonly jwt: string } | { readonly fault: string } {
  const jwt = text.trim();
  const [header, payload] = compactPattern.test(jwt) ? jwt.split('.').map(parsePart) : [];
  if (header === undefined || payload === undefined || jwt.length > maxCertificateLength)
    return { fault: `expected one compact JWT of at most ${maxCertificateLength} characters` };
  if (header['typ'] !== certificateType)
    return { fault: `expected the type ${certificateType} (ETSI TS 119 475) in the header of the JWT` };
  if (expiryIn(payload) <= now)
    return { fault: 'expected a valid certificate, but it has expired: request a new one from the register' };
  return { jwt };
}

/** The instant (epoch ms) from which a stored certificate is not valid; infinite if it has none. */
export function registrationCertificateExpiry(jwt: string): number {
  return expiryIn(parsePart(jwt.split('.')[1] ?? '') ?? {});
}

function expiryIn({ exp }: Readonly<Record<string, unknown>>): number {
  return typeof exp === 'number' ? exp * 1000 : Number.POSITIVE_INFINITY;
}

function parsePart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isObject(parsed) ? parsed : undefined;
  } catch (fault) {
    if (fault instanceof SyntaxError) return undefined;
    throw fault;
  }
}

/** The certificates with that of one purpose replaced, or removed by `undefined`. Sorted, so that equal ones are stored equally. */
export function replaceRegistrationCertificate(
  certificates: RegistrationCertificates | undefined,
  purpose: string,
  jwt: string | undefined,
): RegistrationCertificates | undefined {
  const others = Object.entries(certificates ?? {}).filter(([name]) => name !== purpose);
  return ofEntries(jwt === undefined ? others : [...others, [purpose, jwt]]);
}

/** The certificates of these purposes. */
export function keepCertificatesOf(
  certificates: RegistrationCertificates | undefined,
  purposes: readonly string[] | undefined,
): RegistrationCertificates | undefined {
  return ofEntries(Object.entries(certificates ?? {}).filter(([purpose]) => purposes?.includes(purpose)));
}

function ofEntries(entries: readonly (readonly [string, string | undefined])[]): RegistrationCertificates | undefined {
  if (entries.length === 0) return undefined;
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
