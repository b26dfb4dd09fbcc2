import { CompactEncrypt, importJWK } from 'jose';
import { createResponseKey, decryptResponse, publicResponseKey } from '../src/wallet/formats/encrypted-response.ts';
import { checkMdocPresentation } from '../src/wallet/formats/mdoc-presentation.ts';
import { claimsOf } from '../src/wallet/formats/pid-claims.ts';
import { checkSdJwtPresentation } from '../src/wallet/formats/sd-jwt-presentation.ts';
import {
  createCredentialParties,
  expectedPresentation,
  presentMdoc,
  presentSdJwt,
} from '../test/support/wallet-credentials.ts';
import { median } from './measure.ts';
import type { BenchResult } from './result.ts';

/** A whole presentation may cost 2 ms in addition to its verification. Each row is a part of one. */
const goalMs = 1;
const checksOfRound = 1_000;

/** Measures the processor time of checking one presentation of each format, in this process. */
export async function benchWallet(rounds: number): Promise<BenchResult[]> {
  const parties = await createCredentialParties();
  const [sdJwt, mdoc] = [presentSdJwt(parties), presentMdoc(parties)];
  return [
    await measureChecks('SD-JWT VC', rounds, async () =>
      claimsOf(await checkSdJwtPresentation(sdJwt, expectedPresentation)),
    ),
    await measureChecks('mdoc', rounds, async () => claimsOf(await checkMdocPresentation(mdoc, expectedPresentation))),
    await measureChecks('response: new key and decryption', rounds, () => decryptOwnResponse(sdJwt)),
  ];
}

/** The key of a request, and the response to it. The encryption by the wallet is in the figure too. */
async function decryptOwnResponse(presentation: string): Promise<unknown> {
  const privateJwk = await createResponseKey();
  const publicJwk = publicResponseKey(privateJwk);
  const response = Buffer.from(JSON.stringify({ vp_token: { pid: [presentation] } }));
  const encryption = new CompactEncrypt(response).setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM' });
  return decryptResponse(await encryption.encrypt(await importJWK(publicJwk)), privateJwk);
}

async function measureChecks(format: string, rounds: number, check: () => Promise<unknown>): Promise<BenchResult> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const before = process.cpuUsage();
    for (let index = 0; index < checksOfRound; index += 1) await check();
    const { user, system } = process.cpuUsage(before);
    // The first round is warm-up.
    if (round > 0) times.push((user + system) / 1_000 / checksOfRound);
  }
  const rate = median(times) ?? Number.NaN;
  return {
    work: 'wallet presentation',
    server: format,
    unit: 'CPU ms',
    rate,
    lowest: Math.min(...times),
    highest: Math.max(...times),
    checks: [{ what: 'CPU ms', figure: rate, goal: goalMs, by: 'at most' }],
  };
}
