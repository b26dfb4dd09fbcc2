import { createHash, createPrivateKey } from 'node:crypto';
import { connect } from 'node:net';
import type { ServerHostKeyAlgorithm } from 'ssh2';
import SftpClient from 'ssh2-sftp-client';
import { createCallTimeout, timedOut } from '../../jobs/call-timeout.ts';
import { systemTimer } from '../../jobs/timer.ts';
import { unbracketedHost } from '../../kernel/unbracketed-host.ts';

/** Where a printer takes letters by SFTP, and the one host key that it is known by. */
export type SftpTarget = {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** A password, or a private key as OpenSSH or PEM. */
  readonly login: { readonly password: string } | { readonly privateKey: string };
  readonly folder: string;
  /** `SHA256:` and the digest in base64, as `ssh-keygen -lf` prints it. */
  readonly hostKey: string;
};

/** Why no session could be opened: nobody there, or one of the two refuses the other. */
export class SftpUnopened extends Error {
  readonly refused: boolean;
  constructor(refused: boolean, options?: ErrorOptions) {
    super(
      refused ? 'the SFTP server refused us, or is not the one pinned' : 'no SFTP session could be opened',
      options,
    );
    this.name = 'SftpUnopened';
    this.refused = refused;
  }
}

/** An open session, for one thing after the other. Paths are below the folder of the place. */
export type SftpSession = {
  put(name: string, bytes: Uint8Array): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  exists(name: string): Promise<boolean>;
  remove(name: string): Promise<void>;
  /** The files of the folder, and when they were written, by the clock of the server. */
  list(): Promise<ReadonlyArray<{ readonly name: string; readonly writtenAt: number }>>;
  isOpen(): boolean;
  end(): void;
};

const openTimeoutMs = 20_000;
const stepTimeoutMs = 60_000;

/**
 * Opens a session; rejects with `SftpUnopened`. The host key is compared before anything of ours is shown. A host has keys
 * of several kinds and shows one: where it is not the pinned one, the others are asked for.
 */
export async function openSftpSession(target: SftpTarget): Promise<SftpSession> {
  const excludedAlgorithms: ServerHostKeyAlgorithm[] = [];
  for (;;) {
    const opened = await openOnce(target, excludedAlgorithms);
    if (!('otherKey' in opened)) return opened;
    const signatures = hostKeyAlgorithms.get(keyTypeOf(opened.otherKey)) ?? [];
    if (signatures.every((signature) => excludedAlgorithms.includes(signature))) throw new SftpUnopened(true, opened);
    excludedAlgorithms.push(...signatures);
  }
}

/** The kinds of keys, and how a host signs with each. */
const hostKeyAlgorithms = new Map<string, readonly ServerHostKeyAlgorithm[]>([
  ['ssh-ed25519', ['ssh-ed25519']],
  ['ecdsa-sha2-nistp256', ['ecdsa-sha2-nistp256']],
  ['ecdsa-sha2-nistp384', ['ecdsa-sha2-nistp384']],
  ['ecdsa-sha2-nistp521', ['ecdsa-sha2-nistp521']],
  ['ssh-rsa', ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa']],
]);

type OtherKey = { readonly otherKey: Buffer; readonly cause: unknown };

async function openOnce(
  target: SftpTarget,
  excludedAlgorithms: readonly ServerHostKeyAlgorithm[],
): Promise<SftpSession | OtherKey> {
  let open = true;
  let otherKey: Buffer | undefined;
  const closed = () => {
    open = false;
  };
  const client = new SftpClient('letters', { error: closed, end: closed, close: closed });
  const hostVerifier = (key: Buffer) => {
    if (fingerprintOf(key) === target.hostKey.replace(/=+$/, '')) return true;
    otherKey = key;
    return false;
  };
  const { host, port, user: username, login } = target;
  // Each step waits for its answer: without this each would wait for the timer of a delayed acknowledgement too.
  const sock = connect({ host, port, noDelay: true });
  try {
    const algorithms = { serverHostKey: { append: [], prepend: [], remove: [...excludedAlgorithms] } };
    await client.connect({ sock, username, ...login, hostVerifier, algorithms, readyTimeout: openTimeoutMs });
  } catch (cause) {
    // What was refused before the client had it is watched by nobody.
    sock.destroy();
    if (otherKey !== undefined) return { otherKey, cause };
    const isRefused =
      excludedAlgorithms.length > 0 || (cause instanceof Error && /authentication|privateKey/i.test(cause.message));
    throw new SftpUnopened(isRefused, { cause });
  }
  return sessionOf(client, target, { isOpen: () => open, closed });
}

function sessionOf(
  client: SftpClient,
  target: SftpTarget,
  { isOpen, closed }: { isOpen(): boolean; closed(): void },
): SftpSession {
  const end = () => {
    closed();
    client.end().catch(closed);
  };
  const limit = createCallTimeout(systemTimer, stepTimeoutMs);
  // A server that is silent for too long is given up, with its connection.
  const step = async <T>(work: Promise<T>): Promise<T> => {
    const done = await limit.waitFor(work);
    if (done !== timedOut) return done;
    end();
    throw new Error('the SFTP server did not answer in time');
  };
  const at = (name: string) => `${target.folder}/${name}`;
  return {
    put: async (name, bytes) => {
      await step(client.put(Buffer.from(bytes), at(name)));
      // The client passes over a write that was refused, as by a disk that is full: only its length tells.
      const { size } = await step(client.stat(at(name)));
      if (size !== bytes.length) throw new Error('the SFTP server did not keep the whole file');
    },
    rename: async (from, to) => void (await step(client.rename(at(from), at(to)))),
    exists: async (name) => (await step(client.exists(at(name)))) !== false,
    remove: async (name) => void (await step(client.delete(at(name), true))),
    list: async () =>
      (await step(client.list(target.folder))).map(({ name, modifyTime }) => ({ name, writtenAt: modifyTime })),
    isOpen,
    end,
  };
}

/** The kind of a key: it begins with its name, after four bytes of length (RFC 4253, section 6.6). */
function keyTypeOf(key: Buffer): string {
  return key.toString('latin1', 4, 4 + key.readUInt32BE(0));
}

function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** The place at a URL, with the settings beside it; throws a TypeError that says what is wrong. */
export function parseSftpTarget(
  text: string,
  { key, hostKey }: { readonly key: string | undefined; readonly hostKey: string | undefined },
): SftpTarget {
  const url = new URL(text);
  const password = decodeURIComponent(url.password);
  if (url.username === '' || url.search !== '' || url.hash !== '') {
    throw new TypeError('expected sftp://USER:PASSWORD@HOST:PORT/FOLDER');
  }
  if ((password === '') === (key === undefined)) throw new TypeError('expected a password in it, or LETTER_SFTP_KEY');
  if (hostKey === undefined || !/^SHA256:[A-Za-z0-9+/]{43}=?$/.test(hostKey)) {
    throw new TypeError(
      'expected LETTER_SFTP_HOST_KEY beside it, as `ssh-keyscan HOST | ssh-keygen -lf -` prints it: SHA256:…',
    );
  }
  return {
    host: unbracketedHost(url),
    port: url.port === '' ? 22 : Number(url.port),
    user: decodeURIComponent(url.username),
    login: key === undefined ? { password } : { privateKey: toReadableKey(key) },
    folder: decodeURIComponent(url.pathname).replace(/\/+$/, ''),
    hostKey,
  };
}

/** A private key in a form that the SSH client reads; PKCS #8, which `openssl` writes, is none. */
function toReadableKey(text: string): string {
  const [, openSsh] = /^-----BEGIN OPENSSH PRIVATE KEY-----([^-]+)/.exec(text) ?? [];
  if (openSsh !== undefined) {
    // The name of the cipher comes first (PROTOCOL.key of OpenSSH).
    if (Buffer.from(openSsh, 'base64').toString('latin1').startsWith('openssh-key-v1\0\0\0\0\x04none')) return text;
  } else {
    try {
      const key = createPrivateKey(text);
      if (key.asymmetricKeyType === 'rsa') return key.export({ type: 'pkcs1', format: 'pem' }).toString();
      if (key.asymmetricKeyType === 'ec') return key.export({ type: 'sec1', format: 'pem' }).toString();
    } catch {
      // Told below: the fault of the parser may hold a part of the key.
    }
  }
  throw new TypeError(
    "expected LETTER_SFTP_KEY as a key of OpenSSH, or of RSA or EC as PEM, without a passphrase; `ssh-keygen -p -N '' -f FILE` takes one away",
  );
}
