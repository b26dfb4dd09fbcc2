import type { IssuerCertificate } from './issuer-certificate.ts';

/** The leaf and up to three intermediate CA certificates. Issuers of credentials use none or one. */
const maxChainLength = 4;

/**
 * Finds the anchor that a chain ends at: the leaf first, each next certificate is the issuer of the one before (RFC 7515, section 4.1.6;
 * RFC 9360, section 2). Undefined if there is none. It checks the times, CA flags, key usages, path lengths, names and signatures (RFC
 * 5280, section 6.1). It follows the given order and never searches. Attack: certificates that issue each other make a search endless
 * (certificate-chain.test.ts). An anchor within the chain is ignored unless it is one of `anchors`.
 */
export function findChainAnchor<A extends IssuerCertificate>(
  chain: readonly IssuerCertificate[],
  anchors: readonly A[],
  now: number,
): A | undefined {
  if (chain.length > maxChainLength || chain[0]?.maySignCredentials !== true) return undefined;
  for (const [index, certificate] of chain.entries()) {
    const before = chain[index - 1];
    if (!isUsable(certificate, now)) return undefined;
    if (before !== undefined && !isIssuedBy(before, certificate, index - 1)) return undefined;
    // An anchor can be the certificate of the signer itself: lists of trusted entities have both kinds.
    const anchor =
      anchors.find((one) => one.x509.raw.equals(certificate.x509.raw)) ??
      anchors.find((one) => isUsable(one, now) && isIssuedBy(certificate, one, index));
    if (anchor !== undefined) return anchor;
  }
  return undefined;
}

/** Whether a certificate is valid at that time, and has no critical extension that is not processed. */
export function isUsable({ x509, hasUnknownCriticalExtension }: IssuerCertificate, now: number): boolean {
  return !hasUnknownCriticalExtension && x509.validFromDate.getTime() <= now && now <= x509.validToDate.getTime();
}

/**
 * Whether `ca` issued the certificate, with this number of CA certificates between `ca` and the leaf. The flag `ca` also covers the key
 * usage `keyCertSign`.
 */
function isIssuedBy({ x509 }: IssuerCertificate, ca: IssuerCertificate, intermediates: number): boolean {
  return (
    ca.x509.ca &&
    (ca.pathLength === undefined || ca.pathLength >= intermediates) &&
    x509.checkIssued(ca.x509) &&
    x509.verify(ca.x509.publicKey)
  );
}
