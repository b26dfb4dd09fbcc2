/** The address to listen on. `settingPrefix` is the start of the names of its settings, HOST and PORT by default. */
export type ListenAddress = { readonly host: string; readonly port: number; readonly settingPrefix?: 'ADMIN_' };

class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** Explains why the server cannot listen there, and what to do. Returns other errors unchanged. */
export function listenError(fault: NodeJS.ErrnoException, { host, port, settingPrefix }: ListenAddress): Error {
  const [prefix, more] = settingPrefix === undefined ? ['', ', with PUBLIC_URL'] : [settingPrefix, ''];
  const withCause = (problem: string) => new ListenError(problem, { cause: fault });
  switch (fault.code) {
    case 'EADDRINUSE':
      return withCause(`port ${port} of ${host} is in use: stop the program that uses it, or set ${prefix}PORT`);
    case 'EACCES':
      return withCause(`this user may not use port ${port}: set ${prefix}PORT to a port above 1023, or allow this one`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return withCause(
        `${host} is not an address of this machine: set ${prefix}HOST to one of its addresses, or to 0.0.0.0 for all${more}. See docs/reference/settings.md#${prefix.toLowerCase()}host`,
      );
    default:
      return fault;
  }
}
