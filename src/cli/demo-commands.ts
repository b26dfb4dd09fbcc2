import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { Timer } from '../jobs/timer.ts';
import type { DemoFile } from './demo-data.ts';

/** The files in the data folder that the printed commands read. */
const commandFiles = { headers: 'headers', claims: 'claims.json', message: 'message.json' } as const;

/** Replaces a file at once. Only its owner can read it. */
export function replacePrivateFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  chmodSync(`${path}.new`, 0o600);
  renameSync(`${path}.new`, path);
}

/** A token is valid for ten minutes. After a pause of the computer the file is valid again within a minute. */
const renewEveryMs = 60_000;

type DemoHeadersOptions = {
  readonly dataDir: string;
  readonly issueToken: () => Promise<string>;
  readonly timer: Timer;
  readonly onFault: (fault: unknown) => void;
};

/** Writes the headers with a token, and again every minute. Returns the function that stops this and deletes the file. */
export async function keepDemoHeaders({
  dataDir,
  issueToken,
  timer,
  onFault,
}: DemoHeadersOptions): Promise<() => void> {
  const path = join(dataDir, commandFiles.headers);
  let isStopped = false;
  let cancel: () => void = () => undefined;
  const write = async () => {
    const token = await issueToken();
    if (!isStopped) replacePrivateFile(path, `Authorization: Bearer ${token}\nContent-Type: application/json\n`);
  };
  const schedule = () => {
    cancel = timer(renewEveryMs, () => void write().catch(onFault).finally(schedule));
    if (isStopped) cancel();
  };
  await write();
  schedule();
  return () => {
    isStopped = true;
    cancel();
    rmSync(path, { force: true });
  };
}

/** Writes the request bodies of the printed commands. */
export function writeDemoBodies(dataDir: string, { citizens }: DemoFile): void {
  const person = citizens.find(({ citizenId }) => citizenId === 'demo-mary');
  const { citizenId, givenName, familyName, birthDate } = person ?? {};
  const write = (name: string, body: object) => replacePrivateFile(join(dataDir, name), `${JSON.stringify(body)}\n`);
  write(commandFiles.claims, { citizenId, givenName, familyName, birthDate });
  write(commandFiles.message, { citizenId, message: 'Your permit is ready.' });
}

type DemoTextOptions = { readonly dataDir: string; readonly cwd: string; readonly adminUrl: string | undefined };

/** The text that the demo prints: three commands to paste into a shell in the same folder, and its addresses. */
export function demoText({ baseUrl, documents }: DemoFile, options: DemoTextOptions): string {
  const { dataDir, cwd, adminUrl } = options;
  const fromHere = relative(cwd, resolve(cwd, dataDir));
  const isWithin = !fromHere.startsWith('..') && !isAbsolute(fromHere);
  const file = (name: string) => (isWithin ? join(fromHere, name) : join(resolve(cwd, dataDir), name));
  const document = documents.find(({ citizenId }) => citizenId === 'demo-mary');
  // curl adds http:// itself. Without it the lines fit into 80 columns.
  const v1 = `${baseUrl.replace('http://', '')}/v1`;
  const { headers, claims, message } = commandFiles;
  const withHeaders = `curl -H ${shellWord(`@${file(headers)}`)}`;
  const withBody = (name: string) => `${withHeaders} -d ${shellWord(`@${file(name)}`)}`;
  return `The demo runs on this computer only. All its citizens are invented.
To stop it, press Ctrl-C.

To verify a citizen, send a message and read a document, paste these lines into
another terminal in the same folder:

${withBody(claims)} ${v1}/identity/verify
${withBody(message)} ${v1}/notifications/send
${withHeaders} ${v1}/documents/${document?.id}

${file(headers)} has an access token, which the demo renews while it runs.
${file('demo.json')} has the clients, citizens and documents.

  Metrics        ${adminUrl}/metrics
  API            ${baseUrl}/v1
  Guides         ${baseUrl}/docs/guide
  API reference  ${baseUrl}/docs
  For citizens   ${baseUrl}/me
  For staff      ${baseUrl}/staff
  Outbox         ${baseUrl}/outbox  (unsent messages)

`;
}

/** A word for a shell, quoted if needed. */
function shellWord(text: string): string {
  return /^[\w@./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
