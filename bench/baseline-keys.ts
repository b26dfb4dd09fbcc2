import { exportSPKI, generateKeyPair, SignJWT } from 'jose';

export const baselineIssuer = 'https://tokens.example';

/** The public key (PEM) that a baseline uses to check tokens. */
export type BaselineKeys = { readonly publicKey: string };

/** Creates a key pair for this run and one token for all baselines. RS256 is the cheapest signature to verify. */
export async function newBaselineToken(): Promise<BaselineKeys & { readonly token: string }> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const scope = 'identity:verify notifications:send documents:read';
  const token = await new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(baselineIssuer)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
  return { publicKey: await exportSPKI(publicKey), token };
}
