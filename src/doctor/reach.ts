import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Finding } from '../cli/doctor.ts';
import { faulty, ok, warn } from '../cli/doctor.ts';
import { hostOf } from '../kernel/url-host.ts';
import { messageOf } from './room.ts';

/** What is waited for another machine, which may be far away. */
export const patienceMs = 5_000;

/** Whether a name resolves and somebody listens there, with a certificate that holds where it is https. Nothing is sent. */
export async function reach(url: URL): Promise<void> {
  const { protocol, port } = url;
  const host = hostOf(url);
  const isSecure = protocol === 'https:';
  const at = { host, port: port === '' ? (isSecure ? 443 : 80) : Number(port) };
  // A certificate is for a name; an address is none (RFC 6066, section 3).
  const socket = isSecure
    ? connectTls({ ...at, ...(/[a-z]/i.test(host) && !host.includes(':') ? { servername: host } : {}) })
    : connect(at);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once(isSecure ? 'secureConnect' : 'connect', () => resolve());
  socket.on('error', reject);
  socket.setTimeout(patienceMs, () => reject(new Error(`no answer within ${patienceMs / 1_000} s`)));
  try {
    await promise;
  } finally {
    socket.destroy();
  }
}

/** The same as a finding. Of the address only what is no secret is told: a path and a query may hold a key. */
export async function reached(url: URL, setting: string, is: 'warn' | 'fault' = 'fault'): Promise<Finding> {
  try {
    await reach(url);
    return ok(`${url.protocol}//${url.host} is there`);
  } catch (fault) {
    const found = `${url.protocol}//${url.host}: ${messageOf(fault)}`;
    return (is === 'warn' ? warn : faulty)(found, `see that it runs and may be reached from here, or set ${setting}`);
  }
}
