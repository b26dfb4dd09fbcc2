/** Where a server was to listen; `of` says by which settings, HOST and PORT where nothing is said. */
export type Tried = { readonly host: string; readonly port: number; readonly of?: 'ADMIN_' };

/** Why it cannot listen there, with what to do. */
export function portFault(fault: NodeJS.ErrnoException, { host, port, of }: Tried): Error {
  const [prefix, more] = of === undefined ? ['', ', with PUBLIC_URL'] : [of, ''];
  const tell = (problem: string) => new Error(problem, { cause: fault });
  switch (fault.code) {
    case 'EADDRINUSE':
      return tell(`port ${port} of ${host} is taken: end the program that has it, or set ${prefix}PORT`);
    case 'EACCES':
      return tell(`port ${port} may not be taken by this user: set ${prefix}PORT to one above 1023, or allow it`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return tell(
        `${host} is no address of this machine: set ${prefix}HOST to one, or to 0.0.0.0 for all${more}. See docs/settings.md#${prefix.toLowerCase()}host`,
      );
    default:
      return fault;
  }
}
