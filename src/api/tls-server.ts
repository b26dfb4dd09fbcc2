import { X509Certificate } from 'node:crypto';
import type { RequestListener, Server, ServerOptions } from 'node:http';
import { createServer } from 'node:https';

/** TLS that this process ends itself; everything in PEM. */
export type TlsOptions = {
  readonly certificate: string;
  readonly key: string;
  /** Whether callers are asked for a certificate of theirs; one that has none is let in all the same. */
  readonly requestCertificate: boolean;
  /** The authorities whose certificates are asked for; callers with certificates of others may still show them. */
  readonly authorities: readonly string[];
  /** Reads certificate and key anew, so that renewed ones need no restart; undefined where they cannot be had now. */
  readonly renew?: (() => { readonly certificate: string; readonly key: string } | undefined) | undefined;
};

/** BCP 195 (RFC 9325): forward secrecy and authenticated encryption alone. TLS 1.3 has its own list. */
const ciphers =
  'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305';
const handshakeMs = 5_000;
const renewEveryMs = 600_000;

/** An HTTPS server, TLS 1.2 or newer. Whether a certificate shown is good for anything is not decided here. */
export function createTlsServer(tls: TlsOptions, limits: ServerOptions, handler: RequestListener): Server {
  const context = (pair: { readonly certificate: string; readonly key: string }) => ({
    cert: pair.certificate,
    key: pair.key,
    // An empty list is none; without one the authorities of the machine would be taken.
    ca: [...tls.authorities],
    minVersion: 'TLSv1.2' as const,
    ciphers,
    honorCipherOrder: true,
  });
  const server = createServer(
    {
      ...limits,
      ...context(tls),
      handshakeTimeout: handshakeMs,
      requestCert: tls.requestCertificate,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
    },
    handler,
  );
  // Where the chain of a caller's certificate does not hold, OpenSSL leaves that fault behind in the thread, and the next look
  // at any connection takes it for its own: the caller would be cut off, not answered (seen with node 26.10). To ask whether
  // one certificate issued another clears it away.
  const own = new X509Certificate(tls.certificate);
  if (tls.requestCertificate) server.on('secureConnection', () => own.checkIssued(own));
  const { renew } = tls;
  if (renew !== undefined) {
    let known = tls.certificate;
    const timer = setInterval(() => {
      const pair = renew();
      if (pair === undefined || pair.certificate === known) return;
      server.setSecureContext(context(pair));
      known = pair.certificate;
    }, renewEveryMs);
    server.once('close', () => clearInterval(timer));
    timer.unref();
  }
  return server;
}
