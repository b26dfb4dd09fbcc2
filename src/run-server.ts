import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createLog, type Log } from './api/log.ts';
import type { Page } from './api/server.ts';
import { firstSeat } from './api/spread.ts';
import { mostThreads } from './api-threads.ts';
import { type ExitCode, type Terminal, UsageError } from './cli/command.ts';
import { demoText, seedDemo } from './cli/demo.ts';
import {
  bounceAddressesOf,
  cascadeOf,
  confirmLinksOf,
  dkimOf,
  inboxLinkOf,
  leavingChannels,
  mailEventsOf,
  troubleIn,
} from './compose/channels.ts';
import { type House, openHouse } from './compose.ts';
import { ofSetting, type Settings, withoutFiles } from './config/settings.ts';
import { unreadSettings } from './config/unread-settings.ts';
import { createFirstRootKey, rootKeyPath } from './first-root-key.ts';
import { systemTimer } from './jobs/timer.ts';
import { systemClock, systemRandom } from './kernel/system-clock.ts';
import type { RootKey } from './keys/root-key.ts';
import { readRootKey } from './keys/root-key-file.ts';
import { absentChannel, type Channel } from './notifications/channels/channel.ts';
import type { Sender } from './notifications/channels/mail.ts';
import { createOutbox, type Outbox } from './notifications/channels/outbox.ts';
import { citizenPaths } from './portal/citizen-session.ts';
import { outboxPage } from './portal/outbox-page.ts';
import { startPage } from './portal/start-page.ts';
import { settingsOf } from './run-mode.ts';
import { type Mode, type Role, roles, serve } from './serve.ts';
import type { Environment } from './thread-messages.ts';

/** Takes commands for a running house, from other processes of the same owner; gives what ends that. */
export type TakeFor = (house: House) => Promise<() => Promise<void>>;

/** What a server that runs is given beside its settings; `environment` is what those were read from. */
export type RunParts = { readonly terminal: Terminal; readonly takeFor: TakeFor; readonly environment: Environment };

/** Runs the demo until it is stopped. */
export async function runDemo(given: Settings, { terminal, takeFor, environment }: RunParts): Promise<ExitCode> {
  const settings = settingsOf(given, true);
  if (![settings.host, settings.adminHost].every((host) => ['127.0.0.1', '::1', 'localhost'].includes(host))) {
    throw new Error(
      'The demo never listens beyond loopback: leave HOST and ADMIN_HOST out, or run `citizen-services start` with keys of your own.',
    );
  }
  const path = rootKeyPath(settings);
  const root = existsSync(path) ? readRootKey(path) : await createFirstRootKey(settings, path);
  const log = createLog(settings.logLevel);
  const outbox = settings.smtpUrl === undefined ? createOutbox(senderOf(settings, root)) : undefined;
  const email = outbox ?? (await emailOf(settings, root, log));
  let isSeeded = false;
  const mode: Chosen = {
    roles: new Set(roles),
    isDemo: true,
    isPrepared: () => isSeeded,
    channels: await leavingChannels(settings, email, log),
    cascade: cascadeOf(settings, true),
    pages: peoplePages({ outbox, hasCitizenPages: true }),
  };
  return await runUntilStopped({ settings, root, log, takeFor, path, environment }, mode, async (house, running) => {
    const room = { ...house, read: house.db.read, dataDir: settings.dataDir, ...running };
    const demo = await seedDemo(room);
    isSeeded = true;
    const [client] = demo.clients;
    const token = client === undefined ? '' : await running.issueAccessToken(client.clientId, client.scopes);
    terminal.stdout(demoText(demo, token, running.adminUrl));
  });
}

/** Runs the server until it is stopped; keys and settings must be there. */
export async function runStart(
  given: Settings,
  args: readonly string[],
  { terminal, takeFor, environment }: RunParts,
): Promise<ExitCode> {
  const { values } = parseArgs({ args: [...args], options: { roles: { type: 'string' } } });
  const settings = settingsOf(given, false);
  const path = rootKeyPath(settings);
  const root = readRootKey(path);
  const log = createLog(settings.logLevel);
  for (const { setting, needs } of unreadSettings(settings)) log.notice('a setting is not read', { setting, needs });
  const mode: Chosen = {
    roles: rolesOf(values.roles),
    isDemo: false,
    channels: await leavingChannels(settings, await emailOf(settings, root, log), log),
    cascade: cascadeOf(settings, false),
    pages: peoplePages({ outbox: undefined, hasCitizenPages: settings.signInIssuer !== undefined }),
  };
  return await runUntilStopped({ settings, root, log, takeFor, path, environment }, mode, async (_house, running) => {
    // What has not the role `api` listens at the address of its metrics alone.
    const at = mode.roles.has('api') ? `at ${running.publicUrl}` : `as ${[...mode.roles].join(' and ')}`;
    terminal.stderr(`citizen-services ${at}, metrics at ${running.adminUrl}/metrics\n`);
  });
}

function rolesOf(text: string | undefined): ReadonlySet<Role> {
  if (text === undefined) return new Set(roles);
  const wanted = text.split(',').map((role) => role.trim());
  const unknown = wanted.filter((role) => !roles.some((known) => known === role));
  if (unknown.length > 0) throw new UsageError(`--roles takes ${roles.join(', ')}, not '${unknown.join(', ')}'`);
  return new Set(roles.filter((role) => wanted.includes(role)));
}

function senderOf(settings: Settings, root: RootKey): Sender {
  const host = settings.publicUrl === undefined ? 'localhost' : new URL(settings.publicUrl).hostname;
  const from = { settings, root };
  const [returnPath, confirmLink] = [bounceAddressesOf(from)?.of, confirmLinksOf(from)?.of];
  const headers = mailEventsOf(settings)?.headers;
  return {
    address: settings.mailFrom,
    messageIdHost: host,
    returnPath,
    confirmLink,
    inboxLink: inboxLinkOf(settings),
    headers,
  };
}

/** The channel of mail that the settings name. */
export async function emailOf(settings: Settings, root: RootKey, log: Log): Promise<Channel> {
  const dkim = dkimOf(settings);
  if (settings.smtpUrl === undefined) return absentChannel('email');
  const { createSmtpEmail } = await import('./notifications/channels/smtp-email.ts');
  const url = settings.smtpUrl.reveal();
  const sender = senderOf(settings, root);
  const onTrouble = troubleIn(log, 'email', systemClock);
  return ofSetting('SMTP_URL', () => createSmtpEmail({ url, sender, dkim, onTrouble }));
}

type ForPeople = { readonly outbox: Outbox | undefined; readonly hasCitizenPages: boolean };

function peoplePages({ outbox, hasCitizenPages }: ForPeople): readonly Page[] {
  const start = startPage({
    '/docs': 'Reference of the interface',
    '/problems': 'Problems',
    '/openapi.json': 'OpenAPI 3.1',
    ...(hasCitizenPages ? { [citizenPaths.home]: 'For citizens: your messages and documents' } : {}),
    ...(outbox === undefined ? {} : { '/outbox': 'Outbox' }),
  });
  return outbox === undefined ? [start] : [start, outboxPage(outbox.mails)];
}

type Base = {
  readonly settings: Settings;
  readonly root: RootKey;
  /** The file of the root key. */
  readonly path: string;
  readonly log: Log;
  readonly takeFor: TakeFor;
  readonly environment: Environment;
};
type Served = Awaited<ReturnType<typeof serve>>;
/** The threads are the same for both ways of running. */
type Chosen = Omit<Mode, 'seat' | 'threads'>;

async function runUntilStopped(
  { settings, root, path, log, takeFor, environment }: Base,
  mode: Chosen,
  whenServing: (house: House, running: Served) => Promise<void>,
): Promise<ExitCode> {
  const threads = { environment: withoutFiles(environment), rootKeyPath: path };
  const { promise: ended, resolve: end } = Promise.withResolvers<ExitCode>();
  let lostBy: Error | undefined;
  const lost = (what: string) => (fault: Error) => {
    lostBy ??= fault;
    log.fault(what, fault);
    end(1);
  };
  const house = await openHouse({
    ...{ settings, root, log, clock: systemClock, timer: systemTimer, random: systemRandom },
    mustBeThere: !mode.isDemo,
    onLost: lost('database'),
  });
  const seat = firstSeat(mostThreads(settings.apiThreads));
  const stop = () => end(0);
  // Told once more to end, as by its group of processes, it goes on ending; at a terminal a second Ctrl-C ends it at once.
  process.on('SIGTERM', stop);
  // Its terminal was closed.
  process.on('SIGHUP', stop);
  process.once('SIGINT', stop);
  try {
    // Before anybody is told that it is ready: who waits for that may have a command for it.
    const takeNoMore = await takeFor(house);
    let running: Served | undefined;
    try {
      running = await serve(house, { ...mode, threads: { ...threads, onLost: lost('api-thread') }, seat });
      await whenServing(house, running);
      return await ended;
    } catch (fault) {
      // What fails behind a database that was lost says no more than that.
      throw lostBy ?? fault;
    } finally {
      await takeNoMore();
      await running?.stop();
    }
  } finally {
    await house.close();
  }
}
