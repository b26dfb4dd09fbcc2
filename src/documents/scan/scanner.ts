/** What a scanner says of a document. What it could not look into as a whole is `unscannable`, never clean. */
export type ScanVerdict =
  | { readonly verdict: 'clean'; readonly engine: string }
  | { readonly verdict: 'infected' | 'unscannable'; readonly engine: string; readonly finding: string };

/** A malware scanner behind a network; the one adapter is clamd. */
export type Scanner = {
  /** Its name with the version of its signatures, as it goes on record. */
  engine(): Promise<string>;
  /**
   * Scans a document of `size` bytes. Rejects with `ScannerFault` where there is no verdict; a fault of the source is
   * rejected as it is.
   */
  scan(bytes: AsyncIterable<Uint8Array>, size: number): Promise<ScanVerdict>;
};

/** There is no verdict: `down` says nothing about the document, `failed` may be the document's doing. */
export class ScannerFault extends Error {
  readonly kind: 'down' | 'failed';

  constructor(kind: 'down' | 'failed', message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ScannerFault';
    this.kind = kind;
  }
}
