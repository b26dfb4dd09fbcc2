import jsonwebtoken from 'jsonwebtoken';
import { type BaselineKeys, baselineIssuer } from '../baseline-keys.ts';

/** The scopes of the token in an `Authorization` header. Throws when the token is not valid. */
export function scopesOfToken(header: string | undefined, { publicKey }: BaselineKeys): readonly string[] {
  const token = header?.startsWith('Bearer ') ? header.slice(7) : '';
  return jsonwebtoken.verify(token, publicKey, { algorithms: ['RS256'], issuer: baselineIssuer }).scope.split(' ');
}
