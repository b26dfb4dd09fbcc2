import { generateKeyPairSync } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';

const issuer = 'https://tokens.example';

/** What a baseline is told of tokens: the key that checks them. */
export type BaselineKeys = { readonly publicKey: string };

/** A key pair of this run and a token for all baselines, RS256 since that is the cheapest to verify. */
export function newBaselineToken(): BaselineKeys & { readonly token: string } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const scope = 'identity:verify notifications:send documents:read';
  const token = jsonwebtoken.sign({ scope }, privateKey, { algorithm: 'RS256', issuer, expiresIn: '1h' });
  return { publicKey, token };
}

/** The scopes of the token in an `Authorization` header; throws for a token that does not hold. */
export function scopesOfToken(header: string | undefined, { publicKey }: BaselineKeys): readonly string[] {
  const token = header?.startsWith('Bearer ') ? header.slice(7) : '';
  return jsonwebtoken.verify(token, publicKey, { algorithms: ['RS256'], issuer }).scope.split(' ');
}
