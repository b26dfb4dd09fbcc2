import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sandboxAnchor } from '../../src/wallet/trust/sandbox-anchor.ts';
import { issueCertificate } from './certificates.ts';
import { makeTestFolder } from './test-folder.ts';

/** Settings with which a server trusts the issuer of the test wallet, as the demo does. Their files are in a folder of the test run. */
export async function createWalletSettings(): Promise<Readonly<Record<string, string>>> {
  const folder = makeTestFolder('wallet-settings-');
  const place = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const authority = await issueCertificate('Test relying parties', { ca: true });
  const leaf = await issueCertificate('Test verifier', { issuer: authority });
  place(
    'ca.pem',
    `-----BEGIN CERTIFICATE-----\n${Buffer.from(sandboxAnchor).toString('base64')}\n-----END CERTIFICATE-----\n`,
  );
  const pid = {
    types: { 'dc+sd-jwt': 'urn:eudi:pid:1', mso_mdoc: 'eu.europa.ec.eudi.pid.1' },
    issuers: [{ certificates: 'ca.pem' }],
    assurance: { framework: 'eidas', level: 'high' },
    statusUnknown: 'refuse',
  };
  return {
    WALLET_TRUST: place('trust.json', JSON.stringify({ pid })),
    WALLET_CERTIFICATE_FILE: place('certificate.pem', `${leaf.certificate}${authority.certificate}`),
    WALLET_CERTIFICATE_KEY_FILE: place('key.pem', leaf.key),
    // Outside of a sandbox the server refuses this issuer, whose key is public.
    SIMULATORS: 'true',
  };
}
