/** The verdict on a document. A document that could not be scanned completely is `unscannable`, never clean. */
export type ScanVerdict =
  | { readonly verdict: 'clean'; readonly engine: string }
  | { readonly verdict: 'infected' | 'unscannable'; readonly engine: string; readonly finding: string };

/** A malware scanner; the one adapter is clamd. */
export type Scanner = {
  /** The name of the scanner with the version of its signatures, as it is stored. */
  engine(): Promise<string>;
  /**
   * Scans a document of `size` bytes. Rejects with `ScannerFault` if there is no verdict, and with the fault of the source if
   * that fails.
   */
  scan(bytes: AsyncIterable<Uint8Array>, size: number): Promise<ScanVerdict>;
};

/** There is no verdict: `down` says nothing about the document, `failed` may be caused by it. */
export class ScannerFault extends Error {
  readonly kind: 'down' | 'failed';

  constructor(kind: 'down' | 'failed', message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ScannerFault';
    this.kind = kind;
  }
}
