import { X509Certificate } from 'node:crypto';
import type { RequestListener, Server, ServerOptions } from 'node:http';
import { createServer } from 'node:https';

/** TLS that this process terminates itself; everything in PEM. */
export type TlsOptions = {
  readonly certificate: string;
  readonly key: string;
  /** Whether clients are asked for a certificate. Clients without one are still accepted. */
  readonly requestCertificate: boolean;
  /** The authorities named in the certificate request. Clients may still present certificates of others. */
  readonly authorities: readonly string[];
  /** Reads certificate and key again, so that a renewal needs no restart; undefined if they cannot be read now. */
  readonly renew?: (() => { readonly certificate: string; readonly key: string } | undefined) | undefined;
};

/** BCP 195 (RFC 9325): only forward secrecy and authenticated encryption. TLS 1.3 has its own list. */
const ciphers =
  'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305';
const handshakeMs = 5_000;
const renewEveryMs = 600_000;

/** Creates an HTTPS server for TLS 1.2 or newer. It does not decide whether a client certificate is acceptable. */
export function createTlsServer(tls: TlsOptions, limits: ServerOptions, handler: RequestListener): Server {
  const context = (pair: { readonly certificate: string; readonly key: string }) => ({
    cert: pair.certificate,
    key: pair.key,
    // An empty list means no authority; without a list Node.js takes those of the machine.
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
  // After a client certificate whose chain is invalid, OpenSSL leaves its error in the queue of the thread. The next TLS
  // operation of any connection would fail with it, so that the client gets no response (seen with Node.js 26.10). Checking
  // whether one certificate issued another clears the queue.
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
