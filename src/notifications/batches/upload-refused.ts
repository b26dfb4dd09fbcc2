import type { BatchCode } from './batch.ts';

/** The file of an upload is refused as a whole. The message says what was expected, and contains no value of the file. */
export class UploadRefused extends Error {
  override readonly name = 'UploadRefused';
  readonly code: BatchCode;

  constructor(code: BatchCode, detail: string) {
    super(detail);
    this.code = code;
  }
}
