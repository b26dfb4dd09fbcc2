import { webcrypto } from 'node:crypto';
import { existsSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { Integer, Utf8String } from 'asn1js';
import { AltName, AttributeTypeAndValue, BasicConstraints, Certificate, Extension, GeneralName, Time } from 'pkijs';
import type { RandomBytes } from '../../kernel/clock.ts';
import { type AccessCertificate, readAccessCertificate } from './access-certificate.ts';

/** The file in DATA_DIR with the key, the leaf and the CA certificate of the demo. */
const fileName = 'wallet-demo.pem';
const dayMs = 86_400_000;
const validDays = 3_650;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** Dependencies of the demo's certificate. `host` is that of the public URL. */
export type DemoCertificateDeps = {
  readonly dataDir: string;
  readonly host: string;
  readonly now: number;
  readonly random: RandomBytes;
};

/**
 * Reads the access certificate of the demo, and creates it at the first start and after a change of the host. No wallet outside of the
 * sandbox trusts its CA, whose key is not stored.
 */
export async function openDemoCertificate(deps: DemoCertificateDeps): Promise<AccessCertificate> {
  const path = join(deps.dataDir, fileName);
  const isNew = !existsSync(path);
  if (isNew) await createFile(path, deps, linkIfAbsent);
  const certificate = readAccessCertificate(path, path, deps.now);
  if (isIP(deps.host) !== 0 || certificate.dnsNames.includes(deps.host)) return certificate;
  await createFile(path, deps, renameSync);
  return readAccessCertificate(path, path, deps.now);
}

/** The threads of a process start together: the first one creates the file, and all read it. */
function linkIfAbsent(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (fault) {
    if (!(fault instanceof Error && 'code' in fault && fault.code === 'EEXIST')) throw fault;
  } finally {
    rmSync(from);
  }
}

async function createFile(
  path: string,
  deps: DemoCertificateDeps,
  place: (from: string, to: string) => void,
): Promise<void> {
  const temporary = `${path}.${Buffer.from(deps.random(8)).toString('hex')}`;
  writeFileSync(temporary, await createChain(deps), { mode: 0o600 });
  place(temporary, path);
}

async function createChain({ host, now, random }: DemoCertificateDeps): Promise<string> {
  const [caPair, pair] = [await newKeyPair(), await newKeyPair()];
  const caName = 'Demo CA of citizen-services';
  const signer = { name: caName, key: caPair.privateKey };
  const isCa = extension('2.5.29.19', true, new BasicConstraints({ cA: true, pathLenConstraint: 0 }));
  const names = isIP(host) === 0 ? [new GeneralName({ type: 2, value: host })] : [];
  const alternatives = names.length === 0 ? [] : [extension('2.5.29.17', false, new AltName({ altNames: names }))];
  const make = (name: string, key: webcrypto.CryptoKey, extensions: Extension[]) =>
    issue({ name, key, extensions, now, serialNumber: random(16) }, signer);
  const ca = await make(caName, caPair.publicKey, [isCa]);
  const leaf = await make('Demo of citizen-services', pair.publicKey, alternatives);
  const privateKey = toPem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', pair.privateKey));
  return `${privateKey}${toPem('CERTIFICATE', leaf)}${toPem('CERTIFICATE', ca)}`;
}

type CertificateRequest = {
  readonly name: string;
  readonly key: webcrypto.CryptoKey;
  readonly extensions: Extension[];
  readonly now: number;
  readonly serialNumber: Uint8Array;
};

async function issue(
  { name, key, extensions, now, serialNumber }: CertificateRequest,
  issuer: { readonly name: string; readonly key: webcrypto.CryptoKey },
): Promise<ArrayBuffer> {
  // A serial number is positive and at most 20 bytes (RFC 5280, section 4.1.2.2): the first byte is from 1 to 127.
  const serial = Buffer.concat([Buffer.from([1]), serialNumber]);
  const certificate = new Certificate({
    version: 2,
    serialNumber: new Integer({ valueHex: new Uint8Array(serial).buffer }),
    notBefore: new Time({ value: new Date(now - dayMs) }),
    notAfter: new Time({ value: new Date(now + validDays * dayMs) }),
    extensions,
  });
  certificate.subject.typesAndValues.push(commonName(name));
  certificate.issuer.typesAndValues.push(commonName(issuer.name));
  await certificate.subjectPublicKeyInfo.importKey(key);
  await certificate.sign(issuer.key, 'SHA-256');
  return certificate.toSchema(true).toBER(false);
}

async function newKeyPair() {
  return await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

function extension(extnID: string, critical: boolean, value: BasicConstraints | AltName): Extension {
  return new Extension({ extnID, critical, extnValue: value.toSchema().toBER(false) });
}

function commonName(name: string): AttributeTypeAndValue {
  return new AttributeTypeAndValue({ type: '2.5.4.3', value: new Utf8String({ value: name }) });
}

function toPem(label: string, der: ArrayBuffer): string {
  const lines = Buffer.from(der).toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
