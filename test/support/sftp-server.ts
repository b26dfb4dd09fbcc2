import { createHash, generateKeyPairSync } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import ssh2, { type Connection, type ParsedKey, type PublicKeyAuthContext, type SFTPWrapper } from 'ssh2';

const { STATUS_CODE } = ssh2.utils.sftp;

/**
 * What the server does with renames: takes them, refuses them, or goes away: before it made one, after, after the printer
 * took the files too, or so that it is made late, when something is to be removed; or it does nothing and says nothing.
 */
export type RenameBehaviour = 'make' | 'refuse' | 'silent' | 'drop-before' | 'drop-after' | 'drop-taken' | 'drop-late';

/** A real SSH server on loopback that serves a folder by SFTP; it takes one user, by password or one of the private keys `users`. */
export async function startSftpServer(t: TestContext, folder: string, users: readonly string[] = []) {
  // ssh2's own generator writes an Ed25519 key that begins with a zero byte too short to be read again, one in 256.
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const hostKey = privateKey.export({ type: 'sec1', format: 'pem' }).toString();
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  const rsaKey = rsa.export({ type: 'pkcs1', format: 'pem' }).toString();
  let onRename: (to: string) => RenameBehaviour = () => 'make';
  let [full, unlisted, kept] = [false, false, false];
  const late: Array<() => void> = [];
  const rules = {
    folder,
    late,
    onRename: (to: string) => onRename(to),
    isFull: () => full,
    isUnlisted: () => unlisted,
    isKept: () => kept,
  };
  const connections = new Set<Connection>();
  const keys = users.map(parsedKey);
  let opened = 0;
  const server = new ssh2.Server({ hostKeys: [hostKey, rsaKey] }, (connection) => {
    opened += 1;
    connections.add(connection);
    connection.on('error', () => connections.delete(connection));
    connection.on('close', () => connections.delete(connection));
    connection.on('authentication', (ask) => {
      const good = ask.username === 'printer' && ask.method === 'password' && ask.password === 'pass word';
      const isKnown = ask.method === 'publickey' && keys.some((key) => isAuthorizedKey(key, ask));
      if (good || (ask.username === 'printer' && isKnown)) ask.accept();
      else ask.reject(['password', 'publickey']);
    });
    connection.on('session', (accept) => {
      accept().on('sftp', (acceptSftp) => serveSftp({ ...rules, sftp: acceptSftp(), connection }));
    });
  });

  const listener = createServer({ noDelay: true }, (socket) => server.injectSocket(socket));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  // A server that listens on TCP has an address with a port.
  const { port } = listener.address() as AddressInfo;
  const hangUp = () => {
    for (const connection of connections) connection.end();
  };
  const stop = () => {
    hangUp();
    listener.close();
  };
  t.after(stop);
  return {
    url: `sftp://printer:pass%20word@127.0.0.1:${port}/letters`,
    fingerprint: fingerprintOf(hostKey),
    /** Of its other key, which it shows only to who takes none of the first kind. */
    rsaFingerprint: fingerprintOf(rsaKey),
    opened: () => opened,
    /** How many are open. */
    connections: () => connections.size,
    renames: (next: (to: string) => RenameBehaviour) => {
      onRename = next;
    },
    fill: (isFull: boolean) => {
      full = isFull;
    },
    /** From now on it tells nobody what is in the folder. */
    unlist: () => {
      unlisted = true;
    },
    /** Whether it lets nobody remove anything. */
    keep: (isKept: boolean) => {
      kept = isKept;
    },
    hangUp,
    stop,
  };
}

function parsedKey(text: string): ParsedKey {
  const parsed = ssh2.utils.parseKey(text);
  if (parsed instanceof Error) throw parsed;
  return parsed;
}

/** First the user asks whether a key would do, then shows a signature of it. */
function isAuthorizedKey(key: ParsedKey, { key: shown, signature, blob, hashAlgo }: PublicKeyAuthContext): boolean {
  if (!key.getPublicSSH().equals(shown.data)) return false;
  return signature === undefined || (blob !== undefined && key.verify(blob, signature, hashAlgo) === true);
}

function fingerprintOf(hostKey: string): string {
  return `SHA256:${createHash('sha256').update(parsedKey(hostKey).getPublicSSH()).digest('base64').replace(/=+$/, '')}`;
}

/** The handle of the one folder there is; those of files have four bytes. */
const folderHandle = Buffer.from('folder');

type SftpSession = {
  readonly sftp: SFTPWrapper;
  readonly connection: Connection;
  readonly folder: string;
  onRename(to: string): RenameBehaviour;
  /** Renames that are made when something is to be removed. */
  readonly late: Array<() => void>;
  isFull(): boolean;
  isUnlisted(): boolean;
  isKept(): boolean;
};

function serveSftp({ sftp, connection, folder, late, onRename, isFull, isUnlisted, isKept }: SftpSession): void {
  const pathOf = (path: string) => join(folder, path.replace(/^\/letters/, ''));
  const answer = (id: number, make: () => void) => {
    try {
      make();
      sftp.status(id, STATUS_CODE.OK);
    } catch {
      sftp.status(id, STATUS_CODE.FAILURE);
    }
  };
  const fds = new Map<number, number>();
  const fdOf = (handle: Buffer) => fds.get(handle.readUInt32BE(0)) ?? -1;
  sftp.on('OPEN', (id, path) => {
    const fd = openSync(pathOf(path), 'w', 0o600);
    fds.set(fd, fd);
    const handle = Buffer.alloc(4);
    handle.writeUInt32BE(fd, 0);
    sftp.handle(id, handle);
  });
  sftp.on('WRITE', (id, handle, offset, data) => {
    // A disk that is full still has room for the name of a file.
    if (isFull()) return sftp.status(id, STATUS_CODE.FAILURE);
    answer(id, () => void writeSync(fdOf(handle), data, 0, data.length, offset));
  });
  sftp.on('CLOSE', (id, handle) => answer(id, () => handle.equals(folderHandle) || closeSync(fdOf(handle))));
  let listed = false;
  sftp.on('OPENDIR', (id) => {
    if (isUnlisted()) return sftp.status(id, STATUS_CODE.PERMISSION_DENIED);
    listed = false;
    sftp.handle(id, folderHandle);
  });
  sftp.on('READDIR', (id) => {
    if (listed) return sftp.status(id, STATUS_CODE.EOF);
    listed = true;
    const names = readdirSync(folder);
    sftp.name(
      id,
      names.map((name) => ({ filename: name, longname: `-rw------- ${name}`, attrs: attrsOf(join(folder, name)) })),
    );
  });
  sftp.on('FSETSTAT', (id) => sftp.status(id, STATUS_CODE.OK));
  sftp.on('REMOVE', (id, path) => {
    if (isKept()) return sftp.status(id, STATUS_CODE.PERMISSION_DENIED);
    for (const rename of late.splice(0)) rename();
    if (existsSync(pathOf(path))) answer(id, () => rmSync(pathOf(path)));
    else sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
  });
  sftp.on('REALPATH', (id, path) => sftp.name(id, [{ filename: path, longname: path, attrs: attrsOf(folder) }]));
  for (const name of ['STAT', 'LSTAT'] as const) {
    sftp.on(name, (id: number, path: string) => {
      if (existsSync(pathOf(path))) sftp.attrs(id, attrsOf(pathOf(path)));
      else sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
    });
  }
  sftp.on('RENAME', (id, from, to) => {
    const behaviour = onRename(to);
    if (behaviour === 'refuse') return sftp.status(id, STATUS_CODE.FAILURE);
    if (behaviour === 'silent') return;
    if (behaviour === 'drop-before') return void connection.end();
    if (existsSync(pathOf(to))) return sftp.status(id, STATUS_CODE.FAILURE);
    if (behaviour === 'make') return answer(id, () => renameSync(pathOf(from), pathOf(to)));
    const make = () => renameSync(pathOf(from), pathOf(to));
    if (behaviour === 'drop-late') late.push(make);
    else make();
    if (behaviour === 'drop-taken') for (const file of readdirSync(folder)) rmSync(join(folder, file));
    connection.end();
  });
}

function attrsOf(path: string) {
  const { mode, uid, gid, size, atimeMs, mtimeMs } = statSync(path);
  return { mode, uid, gid, size, atime: Math.floor(atimeMs / 1_000), mtime: Math.floor(mtimeMs / 1_000) };
}
