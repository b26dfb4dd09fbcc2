import { parseUnverifiedJws } from './parse-token.ts';

const maxLength = 500;

/** Describes a rejected access token for the log of the operator, without any claim about a person. */
export function describeToken(token: string): string {
  const parsed = parseUnverifiedJws(token);
  if (parsed === undefined) return 'another text than a JWT';
  const { header, claims } = parsed;
  const { iss, aud, client_id, scope, iat, exp } = claims;
  const seconds = typeof iat === 'number' && typeof exp === 'number' ? exp - iat : undefined;
  const missing = ['sub', 'client_id', 'jti', 'iat', 'exp'].filter((name) => claims[name] === undefined);
  const stated = { alg: header['alg'], typ: header['typ'], iss, aud, client_id, scope, seconds, missing };
  return JSON.stringify(stated).slice(0, maxLength);
}
