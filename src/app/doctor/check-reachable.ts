import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { DoctorFinding } from '../../cli/doctor.ts';
import { faultFinding, okFinding, warnFinding } from '../../cli/doctor.ts';
import { unbracketedHost } from '../../kernel/unbracketed-host.ts';
import { errorMessage } from './doctor-context.ts';

/** What is waited for another machine, which may be far away. */
export const checkTimeoutMs = 5_000;

/** Whether a name resolves and somebody listens there, with a certificate that holds where it is https. Nothing is sent. */
export async function connectTo(url: URL): Promise<void> {
  const { protocol, port } = url;
  const host = unbracketedHost(url);
  const isSecure = protocol === 'https:';
  const at = { host, port: port === '' ? (isSecure ? 443 : 80) : Number(port) };
  // A certificate is for a name; an address is none (RFC 6066, section 3).
  const socket = isSecure
    ? connectTls({ ...at, ...(/[a-z]/i.test(host) && !host.includes(':') ? { servername: host } : {}) })
    : connect(at);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once(isSecure ? 'secureConnect' : 'connect', () => resolve());
  socket.on('error', reject);
  socket.setTimeout(checkTimeoutMs, () => reject(new Error(`no answer within ${checkTimeoutMs / 1_000} s`)));
  try {
    await promise;
  } finally {
    socket.destroy();
  }
}

/** The same as a finding. Of the address only what is no secret is told: a path and a query may hold a key. */
export async function checkReachable(
  url: URL,
  setting: string,
  is: 'warn' | 'fault' = 'fault',
): Promise<DoctorFinding> {
  try {
    await connectTo(url);
    return okFinding(`${url.protocol}//${url.host} is there`);
  } catch (fault) {
    const found = `${url.protocol}//${url.host}: ${errorMessage(fault)}`;
    return (is === 'warn' ? warnFinding : faultFinding)(
      found,
      `see that it runs and may be reached from here, or set ${setting}`,
    );
  }
}
