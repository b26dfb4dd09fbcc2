/** As much of the package as the baselines use; it brings no types of its own. */
declare module 'jsonwebtoken' {
  type Options = { readonly algorithm: 'RS256'; readonly issuer: string; readonly expiresIn: string };
  export function sign(payload: object, key: string, options: Options): string;
  export function verify(
    token: string,
    key: string,
    options: { readonly algorithms: readonly ['RS256']; readonly issuer: string },
  ): { readonly scope: string; readonly exp: number };
}
