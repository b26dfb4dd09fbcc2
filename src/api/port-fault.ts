/** Why a server cannot listen there, with what to do; `setting` is where that port stands. */
export function portFault(
  fault: NodeJS.ErrnoException,
  { host, port, setting = 'PORT' }: { readonly host: string; readonly port: number; readonly setting?: string },
): Error {
  const tell = (problem: string) => new Error(problem, { cause: fault });
  switch (fault.code) {
    case 'EADDRINUSE':
      return tell(`port ${port} of ${host} is taken: end the program that has it, or set ${setting}`);
    case 'EACCES':
      return tell(`port ${port} may not be taken by this user: set ${setting} to one above 1023, or allow it`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return tell(`${host} is no address of this machine: set HOST to one, or to 0.0.0.0 for all, with PUBLIC_URL`);
    default:
      return fault;
  }
}
