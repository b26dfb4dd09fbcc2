import type { Client } from '../../auth/client.ts';
import { allClients } from '../../auth/client-store.ts';
import { registrationCertificateExpiry } from '../../auth/registration-certificate.ts';
import { type DoctorFinding, type DoctorFindings, faultFinding, okFinding, warnFinding } from '../../cli/doctor.ts';
import { formatSeconds } from '../../cli/progress.ts';
import { SettingError } from '../../config/settings.ts';
import type { ReadOnlyDatabase } from '../../db/open-read-only.ts';
import { unbracketedHost } from '../../kernel/unbracketed-host.ts';
import type { AccessCertificate } from '../../wallet/trust/access-certificate.ts';
import type { IssuerSource, KindConfig } from '../../wallet/trust/trust-file.ts';
import { summarizeLists, type WalletListSummary } from '../../wallet/trust/wallet-list-store.ts';
import type { DoctorContext } from './doctor-context.ts';
import { checkUrls } from './service-checks.ts';

const dayMs = 86_400_000;
const warnBeforeMs = 30 * dayMs;
const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Checks the access certificate, the registration certificates of clients, the signers of the lists of issuers, and the ages of all lists. */
export async function checkWallets({ read }: ReadOnlyDatabase, context: DoctorContext): Promise<DoctorFindings> {
  const files = await readWalletFiles(context);
  if (files === undefined) return undefined;
  const now = context.clock.now();
  const summaries = await summarizeLists(read);
  return [
    checkAccessCertificate(files.certificate, context),
    ...(await allClients(read)).flatMap((client) => checkRegistrationCertificates(client, now)),
    ...files.configs.flatMap(({ kind, sources }) => sources.flatMap((source) => checkSource(kind.name, source, now))),
    ...files.configs.flatMap((config) => checkFetchedLists(config, summaries, now)),
    ...files.configs.flatMap(checkNumberCountry),
  ];
}

/** Connects to the hosts of the lists of trusted entities, and to those of the status lists. */
export async function checkWalletHosts(context: DoctorContext): Promise<DoctorFindings> {
  const { configs = [] } = (await readWalletFiles(context)) ?? {};
  const urls = configs.flatMap(({ sources, statusLists }) => [
    ...sources.flatMap((source) => ('url' in source ? [source.url] : [])),
    ...statusLists,
  ]);
  const origins = new Set(urls.map((url) => new URL(url).origin));
  return await checkUrls([...origins], 'WALLET_TRUST', 'warn');
}

/** Undefined without wallets, and if the check `settings` reports why the files cannot be used. */
async function readWalletFiles({ settings, clock }: DoctorContext) {
  if (settings.walletTrust === undefined) return undefined;
  const { readConfiguredCertificate, readTrustConfig } = await import('../../wallet/trust/configured-trust.ts');
  try {
    const configs = await readTrustConfig(settings, clock);
    return { configs, certificate: readConfiguredCertificate(settings, clock) };
  } catch (fault) {
    if (fault instanceof SettingError) return undefined;
    throw fault;
  }
}

function checkAccessCertificate(
  { expiresAt, hash, dnsNames }: AccessCertificate,
  { settings, clock }: DoctorContext,
): DoctorFinding {
  const found = `client id x509_hash:${hash}, valid until ${dateOf(expiresAt)}`;
  const host = settings.publicUrl === undefined ? undefined : unbracketedHost(new URL(settings.publicUrl));
  const fix = 'renew WALLET_CERTIFICATE_FILE, then restart: clients cannot ask wallets with an expired one';
  if (expiresAt <= clock.now()) return faultFinding(found, fix);
  if (expiresAt - clock.now() < warnBeforeMs) return warnFinding(found, fix);
  if (host !== undefined && dnsNames.length > 0 && !dnsNames.includes(host))
    return warnFinding(
      `WALLET_CERTIFICATE_FILE is for ${dnsNames.join(', ')}, and PUBLIC_URL has the host ${host}`,
      'get a certificate for the host in PUBLIC_URL',
    );
  return okFinding(found);
}

/** Warns of certificates that have expired, which the server does not send, and of those that expire soon. */
function checkRegistrationCertificates(
  { clientId, disabledAt, registrationCertificates = {} }: Client,
  now: number,
): readonly DoctorFinding[] {
  if (disabledAt !== undefined) return [];
  return Object.entries(registrationCertificates).flatMap(([purpose, jwt = '']) => {
    const expiresAt = registrationCertificateExpiry(jwt);
    if (expiresAt - now >= warnBeforeMs) return [];
    const state = expiresAt <= now ? `expired on ${dateOf(expiresAt)}` : `is valid until ${dateOf(expiresAt)}`;
    return [
      warnFinding(
        `${clientId}: the registration certificate of the purpose ${purpose} ${state}`,
        `get a new one from the register, then run \`citizen-services clients purposes ${clientId} ${purpose} --registration-certificate FILE\``,
      ),
    ];
  });
}

function checkSource(kind: string, source: IssuerSource, now: number): readonly DoctorFinding[] {
  if ('url' in source) {
    const expiresAt = Math.max(...source.signers.map(({ x509 }) => x509.validToDate.getTime()));
    if (expiresAt - now >= warnBeforeMs) return [];
    const found = `${kind}: the certificate of the signer of ${source.url} is valid until ${dateOf(expiresAt)}`;
    const fix = 'get its new certificate from the operator of the list, and add it to the file of `signer`';
    return [expiresAt < now ? faultFinding(found, fix) : warnFinding(found, fix)];
  }
  const { file, list } = source;
  if (!Number.isFinite(list.nextUpdate)) return [];
  const found = `${kind}: ${file} is valid until ${dateOf(list.nextUpdate)}`;
  const fix = 'replace the file by the next list, then restart';
  if (list.nextUpdate <= now) return [faultFinding(found, fix)];
  return [list.nextUpdate - now < warnBeforeMs ? warnFinding(found, fix) : okFinding(found)];
}

/** Warns if the files have no CA of the country whose numbers are citizen ids. The lists at a URL are not read. */
function checkNumberCountry({ kind, sources }: KindConfig): readonly DoctorFinding[] {
  const country = kind.citizenIdFrom;
  const isCertified = sources.some(
    (source) =>
      'url' in source || source.list.entities.some(({ issuing }) => issuing.some((one) => one.country === country)),
  );
  if (country === undefined || isCertified) return [];
  const found = `${kind.name}: no issuer has the country ${country} in its CA certificate, so its numbers are not used`;
  return [warnFinding(found, 'remove `citizenIdFrom` from WALLET_TRUST, or add a CA of this country')];
}

const fetchFix =
  'check that a process with the role worker runs and reaches the host, and look for `wallet-lists` in its log';

/** One finding for the lists of issuers of a kind, and one for its status lists. */
function checkFetchedLists(
  { kind, sources, statusHosts }: KindConfig,
  summaries: readonly WalletListSummary[],
  now: number,
): readonly DoctorFinding[] {
  const roles = [
    ['issuers', sources.some((source) => 'url' in source)],
    ['status', statusHosts.size > 0],
  ] as const;
  return roles.flatMap(([role, isConfigured]) => {
    if (!isConfigured) return [];
    const summary = summaries.find((one) => one.credential === kind.name && one.role === role);
    return [summary === undefined ? missingFinding(kind.name, role) : ageFinding(summary, now)];
  });
}

function missingFinding(kind: string, role: 'issuers' | 'status'): DoctorFinding {
  if (role === 'status') return okFinding(`${kind}: no status list yet, because no credential has named one`);
  return warnFinding(`${kind}: no list of issuers yet, so their credentials are refused`, fetchFix);
}

function ageFinding(summary: WalletListSummary, now: number): DoctorFinding {
  const { credential, role, count, missing, oldestFetchedAt, earliestExpiresAt } = summary;
  const lists = role === 'issuers' ? 'lists of issuers' : 'status lists';
  if (missing > 0) return warnFinding(`${credential}: ${missing} of ${count} ${lists} not fetched yet`, fetchFix);
  const age = formatSeconds(Math.max(0, now - (oldestFetchedAt ?? now)) / 1_000);
  const found = `${credential}: ${count} ${lists}, the oldest fetched ${age} ago`;
  return earliestExpiresAt <= now ? faultFinding(`${found}; one has expired`, fetchFix) : okFinding(found);
}
