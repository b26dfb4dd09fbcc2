import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { Integer, ObjectIdentifier, OctetString, Utf8String } from 'asn1js';
import {
  AlgorithmIdentifier,
  Attribute,
  AttributeTypeAndValue,
  BasicConstraints,
  Certificate,
  ContentInfo,
  EncapsulatedContentInfo,
  Extension,
  ExtKeyUsage,
  IssuerAndSerialNumber,
  MessageImprint,
  PKIStatusInfo,
  SignedAndUnsignedAttributes,
  SignedData,
  SignerInfo,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
} from 'pkijs';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const tstInfoOid = '1.2.840.113549.1.9.16.1.4';

/** The ways in which an authority can be wrong. */
export type TimeStampFault = {
  /** The offset of its clock. */
  readonly clockOffsetMs?: number;
  /** `another`: the digest of the text `x`. `weak`: a SHA-1 digest. */
  readonly imprint?: 'another' | 'weak';
  readonly nonce?: 'another' | 'none';
  readonly status?: 'refused';
  readonly signature?: 'broken' | 'twice';
  readonly content?: 'other';
  readonly answer?: 'garbage' | 'nothing' | 'endless' | 'error';
};

const purposes = { stamp: '1.3.6.1.5.5.7.3.8', web: '1.3.6.1.5.5.7.3.1' } as const;

/** The extended key usages in the certificate of an authority. */
type CertificateUsage = ReadonlyArray<keyof typeof purposes>;

type Named = { readonly name: string; readonly serial: number; readonly from: Date };

function newCertificate({ name, serial, from }: Named, issuer: string): Certificate {
  const certificate = new Certificate();
  const named = (value: string) => new AttributeTypeAndValue({ type: '2.5.4.3', value: new Utf8String({ value }) });
  certificate.version = 2;
  certificate.serialNumber = new Integer({ value: serial });
  certificate.subject.typesAndValues.push(named(name));
  certificate.issuer.typesAndValues.push(named(issuer));
  certificate.notBefore.value = from;
  certificate.notAfter.value = new Date(from.getTime() + 365 * 86_400_000);
  return certificate;
}

/** Creates the key and certificate of an authority, issued by its own CA. */
async function makeAuthority(name: string, usage: CertificateUsage, from: Date) {
  const keys = async () => await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const [root, signer] = [await keys(), await keys()];
  const ca = newCertificate({ name: `${name} CA`, serial: 1, from }, `${name} CA`);
  const isCa = new BasicConstraints({ cA: true }).toSchema().toBER(false);
  ca.extensions = [new Extension({ extnID: '2.5.29.19', critical: true, extnValue: isCa })];
  await ca.subjectPublicKeyInfo.importKey(root.publicKey);
  await ca.sign(root.privateKey, 'SHA-256');
  const certificate = newCertificate({ name, serial: 2, from }, `${name} CA`);
  const extnValue = new ExtKeyUsage({ keyPurposes: usage.map((one) => purposes[one]) }).toSchema().toBER(false);
  certificate.extensions = [new Extension({ extnID: '2.5.29.37', critical: true, extnValue })];
  await certificate.subjectPublicKeyInfo.importKey(signer.publicKey);
  await certificate.sign(root.privateKey, 'SHA-256');
  const base64 = Buffer.from(ca.toSchema(true).toBER(false)).toString('base64');
  return {
    key: signer.privateKey,
    certificate: Certificate.fromBER(certificate.toSchema(true).toBER(false)),
    ca: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  };
}

/** Starts a real authority (RFC 3161) on loopback with the clock `now`, and with the fault that the test sets. */
export async function startTimeStampAuthority(
  t: TestContext,
  now: () => number,
  { name = 'Test TSA', usage = ['stamp'] as CertificateUsage, from = new Date(now() - 86_400_000) } = {},
) {
  const authority = await makeAuthority(name, usage, from);
  let fault: TimeStampFault = {};
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (fault.answer === 'nothing') return;
      if (fault.answer === 'error') return void response.writeHead(500).end();
      response.writeHead(200, { 'content-type': 'application/timestamp-reply' });
      if (fault.answer === 'garbage') return void response.end('no time stamp');
      if (fault.answer === 'endless') return void response.end(Buffer.alloc(10_000_000));
      void stamp(Buffer.concat(chunks)).then((answer) => response.end(Buffer.from(answer)));
    });
  });
  async function stamp(der: Uint8Array): Promise<ArrayBuffer> {
    const { messageImprint, nonce } = TimeStampReq.fromBER(new Uint8Array(der));
    const status = new PKIStatusInfo({ status: fault.status === 'refused' ? 2 : 0 });
    if (fault.status === 'refused') return new TimeStampResp({ status }).toSchema().toBER(false);
    const info = new TSTInfo({
      version: 1,
      policy: '1.3.6.1.4.1.55555.1',
      serialNumber: new Integer({ value: asked }),
      messageImprint:
        fault.imprint === undefined
          ? messageImprint
          : await MessageImprint.create(fault.imprint === 'weak' ? 'SHA-1' : 'SHA-256', Buffer.from('x')),
      genTime: new Date(now() + (fault.clockOffsetMs ?? 0)),
      ...(nonce === undefined || fault.nonce === 'none'
        ? {}
        : { nonce: fault.nonce === 'another' ? new Integer({ value: 7 }) : nonce }),
    });
    const timeStampToken = await signTimeStamp(authority, new Uint8Array(info.toSchema().toBER(false)), fault);
    return new TimeStampResp({ status, timeStampToken }).toSchema().toBER(false);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/tsa`,
    ca: authority.ca,
    asked: () => asked,
    lies: (next: TimeStampFault) => {
      fault = next;
    },
  };
}

async function signTimeStamp(
  { key, certificate }: Awaited<ReturnType<typeof makeAuthority>>,
  content: Uint8Array<ArrayBuffer>,
  { signature, content: contentKind }: TimeStampFault,
): Promise<ContentInfo> {
  const eContentType = contentKind === 'other' ? '1.2.840.113549.1.7.1' : tstInfoOid;
  const attribute = (type: string, value: ObjectIdentifier | OctetString) => new Attribute({ type, values: [value] });
  const digest = new Uint8Array(createHash('sha256').update(content).digest()).buffer;
  const data = new SignedData({
    version: 3,
    encapContentInfo: new EncapsulatedContentInfo({
      eContentType,
      eContent: new OctetString({ valueHex: content.buffer }),
    }),
    digestAlgorithms: [new AlgorithmIdentifier({ algorithmId: '2.16.840.1.101.3.4.2.1' })],
    signerInfos: [
      new SignerInfo({
        version: 1,
        sid: new IssuerAndSerialNumber({ issuer: certificate.issuer, serialNumber: certificate.serialNumber }),
        signedAttrs: new SignedAndUnsignedAttributes({
          type: 0,
          attributes: [
            attribute('1.2.840.113549.1.9.3', new ObjectIdentifier({ value: eContentType })),
            attribute('1.2.840.113549.1.9.4', new OctetString({ valueHex: digest })),
          ],
        }),
      }),
    ],
    certificates: [certificate],
  });
  await data.sign(key, 0, 'SHA-256');
  const [first] = data.signerInfos;
  if (signature === 'twice' && first !== undefined) data.signerInfos.push(first);
  if (signature === 'broken') {
    const bytes = first?.signature.valueBlock.valueHexView;
    if (bytes !== undefined) bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
  }
  return new ContentInfo({ contentType: '1.2.840.113549.1.7.2', content: data.toSchema(true) });
}
