import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { BindingDeps } from '../auth/check-binding.ts';
import { type CertificateReader, createCertificateReader, parseProxyAddresses } from '../auth/client-certificate.ts';
import { createDpopNonces, type DpopNonces } from '../auth/dpop-nonces.ts';
import { createFailedRequestLimiter, type FailedRequestLimiter } from '../auth/failed-request-limiter.ts';
import { createQuotaLimiter, type QuotaLimiter } from '../auth/quota.ts';
import { createSharedQuotaLimiter } from '../auth/shared-quota.ts';
import { createReplayDetector } from '../auth/used-proof-store.ts';
import { readSettingText, SettingError, type Settings } from '../config/settings.ts';
import { monotonicClock } from '../kernel/system-clock.ts';
import type { SliceDeps } from './slice.ts';
import type { TlsOptions } from './tls-server.ts';

/** The binding of tokens to certificates and DPoP keys, the quotas, and the TLS of this process if it terminates TLS. */
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
    quotas: isAlone ? createQuotaLimiter(monotonicClock, random) : createSharedQuotaLimiter(monotonicClock, random, db),
    failedRequests: createFailedRequestLimiter(monotonicClock, random),
  };
}

/** The proxies that are trusted to forward client certificates, and the header in which they do. */
export function trustedProxiesOf({ trustedProxies, clientCertificateHeader: header }: Settings) {
  const proxies = parseProxyAddresses(trustedProxies);
  if (proxies === undefined) {
    const received = JSON.stringify(trustedProxies.find((one) => parseProxyAddresses([one]) === undefined));
    throw new SettingError(
      'TRUSTED_PROXIES',
      `expected addresses such as 10.0.0.5 or 10.0.0.0/8, received ${received}`,
    );
  }
  if (header !== undefined && trustedProxies.length === 0) {
    throw new SettingError(
      'CLIENT_CERTIFICATE_HEADER',
      'requires TRUSTED_PROXIES, the proxies that may send this header',
    );
  }
  return { proxies, header };
}

/** A certificate is reported this long before it expires. One that is valid for a few days is reported later. */
const renewedBefore = { ms: 2 * 86_400_000, partOfLife: 1 / 5 };

/** The TLS of this process by its settings. The log reports a certificate that has expired or expires soon. */
export function tlsOptionsOf(
  { settings, log, clock }: Pick<TransportSecurityDeps, 'settings' | 'log' | 'clock'>,
  authorities: readonly X509Certificate[],
): TlsOptions | undefined {
  const { tlsCertificate, tlsKey, tlsClientCertificates } = settings;
  if (tlsCertificate === undefined && tlsKey === undefined) {
    if (!tlsClientCertificates) return undefined;
    throw new SettingError(
      'TLS_CLIENT_CERTIFICATES',
      'requires TLS_CERTIFICATE and TLS_KEY; behind a proxy that terminates TLS, set CLIENT_CERTIFICATE_HEADER instead',
    );
  }
  if (tlsCertificate === undefined) throw new SettingError('TLS_CERTIFICATE', 'TLS_KEY requires it');
  if (tlsKey === undefined) throw new SettingError('TLS_KEY', 'TLS_CERTIFICATE requires it');
  const read = () => {
    const pair = readKeyPair(tlsCertificate, tlsKey);
    const { validFromDate, validToDate } = new X509Certificate(pair.certificate);
    const lifeMs = validToDate.getTime() - validFromDate.getTime();
    const leftMs = validToDate.getTime() - clock.now();
    if (leftMs < Math.min(renewedBefore.ms, lifeMs * renewedBefore.partOfLife)) {
      const until = validToDate.toISOString();
      const state = leftMs < 0 ? `expired at ${until}` : `is valid until ${until}`;
      log.fault('tls', new CertificateError(`${tlsCertificate} ${state}: renew it`));
    }
    return pair;
  };
  const renew = () => {
    try {
      return read();
    } catch (fault) {
      // For example between the writing of the new certificate and of its key.
      log.fault('tls', fault);
      return undefined;
    }
  };
  const named = authorities.map((authority) => authority.toString());
  return { ...read(), requestCertificate: tlsClientCertificates, authorities: named, renew };
}

/** A certificate of TLS_CERTIFICATE does not match its key, or expires soon. */
class CertificateError extends Error {
  override readonly name = 'CertificateError';
}

function readKeyPair(certificatePath: string, keyPath: string) {
  const certificate = readSettingText('TLS_CERTIFICATE', certificatePath);
  const key = readSettingText('TLS_KEY', keyPath);
  try {
    createSecureContext({ cert: certificate, key });
    // OpenSSL accepts a key of another type than the certificate's, and then has no key for it.
    if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
      throw new CertificateError('key values mismatch');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unknown';
    throw new SettingError('TLS_KEY', `expected the key of ${certificatePath} in ${keyPath}, both as PEM (${why})`);
  }
  return { certificate, key };
}

/** The authorities of client certificates. */
export function readClientAuthorities(path: string | undefined): readonly X509Certificate[] {
  if (path === undefined) return [];
  const text = readSettingText('TLS_CLIENT_CA', path);
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (found.length === 0) throw new SettingError('TLS_CLIENT_CA', 'expected a file with certificates in PEM');
  try {
    return found.map((pem) => new X509Certificate(pem));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unknown';
    throw new SettingError('TLS_CLIENT_CA', `${path} contains an invalid certificate (${why})`);
  }
}
