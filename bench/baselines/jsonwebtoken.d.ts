/** Types for the part of the package that the baselines use. The package has no types. */
declare module 'jsonwebtoken' {
  export function verify(
    token: string,
    key: string,
    options: { readonly algorithms: readonly ['RS256']; readonly issuer: string },
  ): { readonly scope: string; readonly exp: number };
}
