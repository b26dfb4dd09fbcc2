import { createHash } from 'node:crypto';
import { Integer, OctetString } from 'asn1js';
import {
  AlgorithmIdentifier,
  Certificate,
  ContentInfo,
  ExtKeyUsage,
  MessageImprint,
  SignedData,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
} from 'pkijs';

// This module loads pkijs and asn1js. Import it dynamically, where time stamps are requested or verified.

const oid = {
  sha256: '2.16.840.1.101.3.4.2.1',
  signedData: '1.2.840.113549.1.7.2',
  timeStampInfo: '1.2.840.113549.1.9.16.1.4',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  extKeyUsage: '2.5.29.37',
} as const;

/** An invalid answer or token; the message names the part, without its content. */
export class TimeStampBroken extends Error {
  constructor(part: string, options?: ErrorOptions) {
    super(`The time stamp does not verify: ${part}.`, options);
    this.name = 'TimeStampBroken';
  }
}

/** The content of a valid token. */
type VerifiedTimeStamp = {
  /** The time of the stamp (epoch ms). */
  readonly at: number;
  /** The name in the signing certificate. */
  readonly authority: string;
  /** Whether the signing certificate has a chain to a trusted one. */
  readonly trusted: boolean;
};

/** Parses the certificates of a PEM file. Throws a TypeError when there is none. */
export function parseCertificates(pem: string): readonly Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new TypeError('expected certificates as PEM');
  try {
    return blocks.map((block) =>
      Certificate.fromBER(arrayBufferOf(Buffer.from(block.replaceAll(/-----[^-]+-----/g, ''), 'base64'))),
    );
  } catch {
    throw new TypeError('a certificate in it cannot be read');
  }
}

/** Encodes a request for a stamp over these bytes (RFC 3161, section 2.4.1) that asks for the certificate in the answer. */
export function timeStampRequest(over: Uint8Array, nonce: Uint8Array): Uint8Array {
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId: oid.sha256 }),
      hashedMessage: new OctetString({ valueHex: arrayBufferOf(createHash('sha256').update(over).digest()) }),
    }),
    nonce: positiveInteger(nonce),
    certReq: true,
  });
  return new Uint8Array(request.toSchema().toBER(false));
}

/** Encodes a nonce as a positive INTEGER without leading zeros: clears the first bit and sets the second. */
function positiveInteger(nonce: Uint8Array): Integer {
  const bytes = Buffer.from(nonce);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return new Integer({ valueHex: arrayBufferOf(bytes) });
}

/** The stamped bytes, the nonce of the request, and the trusted certificates. */
export type TimeStampQuery = {
  readonly over: Uint8Array;
  readonly nonce: Uint8Array;
  readonly trusted: readonly Certificate[];
};

/** Verifies the answer of an authority and returns its token and time. Throws `TimeStampBroken`. */
export async function parseTimeStampAnswer(
  answer: Uint8Array,
  { over, nonce, trusted }: TimeStampQuery,
): Promise<VerifiedTimeStamp & { readonly token: Uint8Array }> {
  const { status, timeStampToken } = parseOrThrow('the answer', () => TimeStampResp.fromBER(arrayBufferOf(answer)));
  if (status.status > 1 || timeStampToken === undefined)
    throw new TimeStampBroken('the authority rejected the request');
  const token = new Uint8Array(timeStampToken.toSchema().toBER(false));
  const stamped = await verifyTimeStamp(token, over, trusted);
  const { info } = openToken(token);
  if (info.nonce === undefined || !info.nonce.isEqual(positiveInteger(nonce))) {
    throw new TimeStampBroken('it is for another request');
  }
  if (!stamped.trusted) throw new TimeStampBroken('its certificate was not issued by a trusted authority');
  return { ...stamped, token };
}

/**
 * Verifies a token (RFC 3161, section 2.4.2; RFC 5652): it is over these bytes and signed by the certificate in it, which is for time
 * stamping only and was valid at that time. A missing chain to `trusted` does not throw; the result reports it.
 */
export async function verifyTimeStamp(
  token: Uint8Array,
  over: Uint8Array,
  trusted: readonly Certificate[] = [],
): Promise<VerifiedTimeStamp> {
  const { signed, info } = openToken(token);
  if (info.messageImprint.hashAlgorithm.algorithmId !== oid.sha256) throw new TimeStampBroken('it is not over SHA-256');
  const checked = await verifySignedData(signed, over, undefined);
  const { signerCertificate: signer } = checked;
  if (checked.signatureVerified !== true || !(signer instanceof Certificate)) {
    throw new TimeStampBroken('its signature is not valid');
  }
  if (!isForTimeStamping(signer)) throw new TimeStampBroken('its certificate is not for time stamping');
  if (info.genTime < signer.notBefore.value || info.genTime > signer.notAfter.value) {
    throw new TimeStampBroken('its certificate was not valid at that time');
  }
  // A trusted certificate that is the signer itself need not be a CA certificate.
  const isTrustedItself = trusted.some((one) => derOf(one).equals(derOf(signer)));
  const chained = isTrustedItself || (trusted.length > 0 && (await isChained(signed, over, trusted)));
  const names = signer.subject.typesAndValues.map(({ value }) => String(value.valueBlock.value));
  return { at: info.genTime.getTime(), authority: names.join(', '), trusted: chained };
}

function derOf(certificate: Certificate): Buffer {
  return Buffer.from(certificate.toSchema().toBER(false));
}

function openToken(token: Uint8Array): { readonly signed: SignedData; readonly info: TSTInfo } {
  return parseOrThrow('its form', () => {
    const content = ContentInfo.fromBER(arrayBufferOf(token));
    if (content.contentType !== oid.signedData) throw new TypeError('no signed data');
    const signed = new SignedData({ schema: content.content });
    const { eContent, eContentType } = signed.encapContentInfo;
    if (eContentType !== oid.timeStampInfo || eContent === undefined || signed.signerInfos.length !== 1) {
      throw new TypeError('no time stamp');
    }
    return { signed, info: TSTInfo.fromBER(eContent.getValue()) };
  });
}

function verifySignedData(signed: SignedData, over: Uint8Array, trusted: readonly Certificate[] | undefined) {
  const chain = trusted === undefined ? { checkChain: false } : { checkChain: true, trustedCerts: [...trusted] };
  return signed
    .verify({ signer: 0, data: arrayBufferOf(over), extendedMode: true, ...chain })
    .catch((cause: unknown) => {
      throw new TimeStampBroken('it is not over this text, or its signature does not fit', { cause });
    });
}

async function isChained(signed: SignedData, over: Uint8Array, trusted: readonly Certificate[]): Promise<boolean> {
  try {
    const { signerCertificateVerified } = await verifySignedData(signed, over, trusted);
    return signerCertificateVerified === true;
  } catch (fault) {
    if (fault instanceof TimeStampBroken) return false;
    throw fault;
  }
}

/** RFC 3161, section 2.3: the extended key usage is present, critical, and names time stamping only. */
function isForTimeStamping({ extensions = [] }: Certificate): boolean {
  const usage = extensions.find(({ extnID }) => extnID === oid.extKeyUsage);
  const purposes = usage?.parsedValue instanceof ExtKeyUsage ? usage.parsedValue.keyPurposes : [];
  return usage?.critical === true && purposes.length === 1 && purposes[0] === oid.timeStamping;
}

function parseOrThrow<T>(part: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new TimeStampBroken(part, { cause });
  }
}

/** The library needs an ArrayBuffer, not a view. */
function arrayBufferOf(view: Uint8Array): ArrayBuffer {
  return new Uint8Array(view).buffer;
}
