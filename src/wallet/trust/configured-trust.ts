import { SettingError, type Settings } from '../../config/settings.ts';
import { type Clock, formatInstant } from '../../kernel/clock.ts';
import { unbracketedHost } from '../../kernel/unbracketed-host.ts';
import { createPublicFetch } from '../../net/fetch-public.ts';
import { createHostResolver } from '../../net/resolve-host.ts';
import { pidDocumentType } from '../formats/pid-claims.ts';
import { type AccessCertificate, readAccessCertificate } from './access-certificate.ts';
import { findChainAnchor } from './certificate-chain.ts';
import { openDemoCertificate } from './demo-certificate.ts';
import { createEntityCache, type EntityCache } from './entity-cache.ts';
import { startFetchingLists } from './fetch-lists.ts';
import { type IssuerCertificate, parseIssuerCertificate } from './issuer-certificate.ts';
import type { OpenedWalletTrust, WalletTrustDeps } from './open-wallet-trust.ts';
import { sandboxAnchor } from './sandbox-anchor.ts';
import { createStatusCache } from './status-cache.ts';
import { type KindConfig, readTrustFile } from './trust-file.ts';
import type { TrustedEntity } from './trusted-entity-list.ts';
import type { CredentialIssuer, CredentialKind, WalletTrust } from './wallet-trust.ts';

/** Opens the trust of WALLET_TRUST, or of the demo. Throws a `SettingError` if a file cannot be used. */
export async function openConfiguredTrust(deps: WalletTrustDeps): Promise<OpenedWalletTrust> {
  const { settings, clock, db, claim, log } = deps;
  const configs = await readTrustConfig(settings, clock);
  const certificate = await openAccessCertificate(deps);
  const onFault = (fault: unknown) => log.fault('wallet-lists', fault);
  const entities = createEntityCache({ configs, read: db.read, clock, onFault });
  const allowPrivate = settings.webhookPrivateTargets;
  const fetchPublic = createPublicFetch({ allowPrivate, resolve: createHostResolver(allowPrivate) });
  const start = () => startFetchingLists({ ...deps, configs, entities, fetchPublic });
  return {
    trust: {
      kinds: new Map(configs.map(({ kind }) => [kind.name, kind])),
      ...createIssuerFinder(entities, clock),
      statusOf: createStatusCache({ configs, entities, read: db.read, claim, clock, onFault }),
    },
    certificate,
    jobs: [{ name: 'wallet-lists', start }],
    checks: [{ run: () => warnOfExpiry(deps, certificate) }],
  };
}

/** The kinds of WALLET_TRUST. A demo without it trusts the sandbox issuer. Throws a `SettingError`. */
export async function readTrustConfig(settings: Settings, clock: Clock): Promise<readonly KindConfig[]> {
  if (settings.walletTrust === undefined) return [sandboxKind];
  const configs = await readTrustFile(settings.walletTrust, clock.now());
  const certificates = configs
    .flatMap(({ sources }) => sources)
    .flatMap((source) => ('list' in source ? source.list.entities.flatMap(({ issuing }) => issuing) : []));
  if (settings.simulators !== true && certificates.some(isSandboxAnchor))
    throw new SettingError(
      'WALLET_TRUST',
      'expected CAs of real issuers, received the sandbox CA, whose issuer key is public. Remove it, or set SIMULATORS=true in a sandbox with invented citizens',
    );
  return configs;
}

function isSandboxAnchor({ x509 }: IssuerCertificate): boolean {
  return x509.raw.equals(sandboxAnchor);
}

const sandboxKind: KindConfig = {
  kind: {
    name: 'pid',
    types: { 'dc+sd-jwt': ['urn:eudi:pid:1'], mso_mdoc: [pidDocumentType] },
    assurance: { framework: 'eidas', level: 'high' },
    statusUnknown: 'refuse',
  },
  sources: [
    {
      file: 'sandbox CA',
      list: {
        sequenceNumber: 1,
        nextUpdate: Number.POSITIVE_INFINITY,
        entities: [{ name: 'Sandbox issuer', issuing: [parseIssuerCertificate(sandboxAnchor)], revoking: [] }],
      },
    },
  ],
  statusHosts: new Set(),
  statusLists: [],
};

async function openAccessCertificate(deps: WalletTrustDeps): Promise<AccessCertificate> {
  const { settings, clock, isDemo, publicUrl, random } = deps;
  const { walletCertificateFile: file, walletCertificateKeyFile: keyFile, dataDir } = settings;
  if (!isDemo || file !== undefined || keyFile !== undefined) return readConfiguredCertificate(settings, clock);
  return await openDemoCertificate({ dataDir, host: unbracketedHost(new URL(publicUrl)), now: clock.now(), random });
}

/** The certificate of WALLET_CERTIFICATE_FILE. Throws a `SettingError` if one of the two files is not set or cannot be used. */
export function readConfiguredCertificate(settings: Settings, clock: Clock): AccessCertificate {
  const { walletCertificateFile: file, walletCertificateKeyFile: keyFile } = settings;
  if (file !== undefined && keyFile !== undefined) return readAccessCertificate(file, keyFile, clock.now());
  throw new SettingError(
    file === undefined ? 'WALLET_CERTIFICATE_FILE' : 'WALLET_CERTIFICATE_KEY_FILE',
    'expected the path of a PEM file, because WALLET_TRUST is set: wallets answer only servers that identify themselves',
  );
}

function createIssuerFinder(
  entities: EntityCache,
  clock: Clock,
): Pick<WalletTrust, 'keyIdsOf' | 'countriesOf' | 'findIssuer'> {
  const anchorsNow = ({ name }: CredentialKind) => {
    // A failure is ignored here: `findIssuer` awaits the read, and fails with it.
    entities.refresh().catch(() => undefined);
    return entities.entitiesOf(name, clock.now()).flatMap(({ issuing }) => issuing);
  };
  return {
    keyIdsOf: (kind) => keyIdsOf(anchorsNow(kind)),
    countriesOf: (kind) => new Set(anchorsNow(kind).flatMap(({ country }) => country ?? [])),
    findIssuer: async ({ name }, certificates, now) => {
      await entities.refresh();
      const known = entities.entitiesOf(name, now);
      // Attack: a chain that is checked once for each entity of a long list (open-wallet-trust.test.ts).
      const anchors = known.flatMap(({ issuing }) => issuing);
      const chain = parseChain(certificates);
      const anchor = findChainAnchor(chain, anchors, now);
      return anchor && issuerOf(chain[0] ?? anchor, anchor, known);
    },
  };
}

function issuerOf(
  leaf: IssuerCertificate,
  anchor: IssuerCertificate,
  entities: readonly TrustedEntity[],
): CredentialIssuer {
  const entity = entities.find(({ issuing }) => issuing.includes(anchor));
  return {
    name: entity?.name ?? anchor.x509.subject.replaceAll('\n', ', '),
    anchor: anchor.x509.fingerprint256,
    certificateCountry: leaf.country,
    anchorCountry: anchor.country,
  };
}

/** A wallet compares with the authority key identifiers of its credential: certificates other than CAs, or without an id, have none there. */
function keyIdsOf(anchors: readonly IssuerCertificate[]): readonly string[] {
  const keyIds = anchors.flatMap(({ keyId, x509 }) => (keyId !== undefined && x509.ca ? [keyId] : []));
  return keyIds.length === anchors.length ? [...new Set(keyIds)] : [];
}

/** The presented certificates; empty if one of them cannot be read. */
function parseChain(certificates: readonly Uint8Array[]): readonly IssuerCertificate[] {
  try {
    return certificates.map(parseIssuerCertificate);
  } catch (fault) {
    if (fault instanceof TypeError) return [];
    throw fault;
  }
}

const warnBeforeMs = 30 * 86_400_000;

function warnOfExpiry({ clock, log }: WalletTrustDeps, { expiresAt }: AccessCertificate): void {
  const now = clock.now();
  if (expiresAt - now >= warnBeforeMs) return;
  const state =
    expiresAt <= now ? 'has expired: clients cannot ask wallets' : 'expires soon: then clients cannot ask wallets';
  log.warning(`WALLET_CERTIFICATE_FILE ${state}. Renew it, and restart.`, { expiresAt: formatInstant(expiresAt) });
}
