import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { BindingDeps } from '../auth/check-binding.ts';
import { type CertificateReader, createCertificateReader, parseProxyAddresses } from '../auth/client-certificate.ts';
import { createDpopNonces, type DpopNonces } from '../auth/dpop-nonces.ts';
import { createFailedRequestLimiter, type FailedRequestLimiter } from '../auth/failed-request-limiter.ts';
import { createQuotaLimiter, type QuotaLimiter } from '../auth/quota.ts';
import { createSharedQuotaLimiter } from '../auth/shared-quota.ts';
import { createReplayDetector } from '../auth/used-proof-store.ts';
import { SettingError, type Settings, unreadableFileReason } from '../config/settings.ts';
import { monotonicClock } from '../kernel/system-clock.ts';
import type { SliceDeps } from './slice.ts';
import type { TlsOptions } from './tls-server.ts';

/** Everything that binds tokens to clients, with certificates or DPoP keys; the quotas; and the TLS of this process, if it has one. */
export type TransportSecurity = {
  readonly certificates: CertificateReader;
  readonly nonces: DpopNonces | undefined;
  readonly binding: BindingDeps;
  readonly tls: TlsOptions | undefined;
  readonly quotas: QuotaLimiter;
  readonly failedRequests: FailedRequestLimiter;
};

type TransportSecurityDeps = Pick<SliceDeps, 'clock' | 'db' | 'random' | 'root' | 'settings'> & {
  log: Pick<SliceDeps['log'], 'fault'>;
};

/** Reads the TLS files and creates the binding checks. `isAlone`: no other thread or process serves this database. */
export function openTransportSecurity(
  app: TransportSecurityDeps,
  publicUrl: string,
  isAlone: boolean,
): TransportSecurity {
  const { clock, db, random, root, settings } = app;
  const authorities = readClientAuthorities(settings.tlsClientCa);
  const { proxies, header } = trustedProxiesOf(settings);
  const nonces = settings.dpopNonces ? createDpopNonces(root.derive('dpop-nonces'), clock) : undefined;
  return {
    certificates: createCertificateReader({ clock, authorities, header, proxies }),
    nonces,
    binding: { clock, publicUrl, nonces, isFirstUse: createReplayDetector({ db, clock }, 'DPoP') },
    tls: tlsOptionsOf(app, authorities),
    // A single thread on SQLite has nobody to share quotas with.
    quotas: isAlone ? createQuotaLimiter(monotonicClock, random) : createSharedQuotaLimiter(monotonicClock, random, db),
    failedRequests: createFailedRequestLimiter(monotonicClock, random),
  };
}

/** The proxies that are trusted to forward client certificates, and the header in which they do. */
export function trustedProxiesOf({ trustedProxies, clientCertificateHeader: header }: Settings) {
  const proxies = parseProxyAddresses(trustedProxies);
  if (proxies === undefined) {
    const came = JSON.stringify(trustedProxies.find((one) => parseProxyAddresses([one]) === undefined));
    throw new SettingError('TRUSTED_PROXIES', `expected addresses, as 10.0.0.5 or 10.0.0.0/8, ${came} came`);
  }
  if (header !== undefined && trustedProxies.length === 0) {
    throw new SettingError(
      'CLIENT_CERTIFICATE_HEADER',
      'it is believed from TRUSTED_PROXIES alone, and there are none',
    );
  }
  return { proxies, header };
}

/** A certificate that is this close to its end was not renewed. One that is valid for a few days has less time. */
const renewedBefore = { ms: 2 * 86_400_000, partOfLife: 1 / 5 };

/**
 * The TLS of this process by its settings. Certificate and key that do not go together are refused, now and when renewed; one
 * that has expired or soon will is a fault of the log, at the start and at each look.
 */
export function tlsOptionsOf(
  { settings, log, clock }: Pick<TransportSecurityDeps, 'settings' | 'log' | 'clock'>,
  authorities: readonly X509Certificate[],
): TlsOptions | undefined {
  const { tlsCertificate, tlsKey, tlsClientCertificates } = settings;
  if (tlsCertificate === undefined && tlsKey === undefined) {
    if (!tlsClientCertificates) return undefined;
    throw new SettingError(
      'TLS_CLIENT_CERTIFICATES',
      'it needs TLS_CERTIFICATE and TLS_KEY; behind a proxy that ends TLS, set CLIENT_CERTIFICATE_HEADER instead',
    );
  }
  if (tlsCertificate === undefined) throw new SettingError('TLS_CERTIFICATE', 'TLS_KEY is set and needs it');
  if (tlsKey === undefined) throw new SettingError('TLS_KEY', 'TLS_CERTIFICATE is set and needs it');
  const read = () => {
    const pair = readKeyPair(tlsCertificate, tlsKey);
    const { validFromDate, validToDate } = new X509Certificate(pair.certificate);
    const lifeMs = validToDate.getTime() - validFromDate.getTime();
    const leftMs = validToDate.getTime() - clock.now();
    if (leftMs < Math.min(renewedBefore.ms, lifeMs * renewedBefore.partOfLife)) {
      const until = validToDate.toISOString();
      const what = leftMs < 0 ? `ended at ${until}, and callers refuse it` : `is valid until ${until}`;
      log.fault('tls', new Error(`${tlsCertificate} ${what}: renew it`));
    }
    return pair;
  };
  const renew = () => {
    try {
      return read();
    } catch (fault) {
      // Also during a renewal, when the certificate is there and its key is not yet.
      log.fault('tls', fault);
      return undefined;
    }
  };
  const named = authorities.map((authority) => authority.toString());
  return { ...read(), requestCertificate: tlsClientCertificates, authorities: named, renew };
}

function readKeyPair(certificatePath: string, keyPath: string) {
  const certificate = readSettingFile('TLS_CERTIFICATE', certificatePath);
  const key = readSettingFile('TLS_KEY', keyPath);
  try {
    createSecureContext({ cert: certificate, key });
    // OpenSSL accepts a key of another type than the certificate's, and then has no key for it.
    if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
      throw new Error('key values mismatch');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unknown';
    throw new SettingError('TLS_KEY', `expected the key of ${certificatePath} in ${keyPath}, both as PEM (${why})`);
  }
  return { certificate, key };
}

/** The authorities of client certificates. */
export function readClientAuthorities(path: string | undefined): readonly X509Certificate[] {
  if (path === undefined) return [];
  const text = readSettingFile('TLS_CLIENT_CA', path);
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (found.length === 0) throw new SettingError('TLS_CLIENT_CA', 'the file holds no certificate in PEM');
  try {
    return found.map((pem) => new X509Certificate(pem));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unknown';
    throw new SettingError('TLS_CLIENT_CA', `${path} holds a certificate that cannot be read (${why})`);
  }
}

function readSettingFile(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new SettingError(name, `${path} cannot be read (${unreadableFileReason(cause)})`);
  }
}
