import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type Read, type Row, type Statement, WriteRefused } from '../../db/database.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import { batchLimits } from './batch.ts';
import type { UploadParser } from './parse-csv-upload.ts';
import { findPieceDigest, findPieceFrom, insertPiece } from './piece-store.ts';
import { type Piece, type PieceKey, sealPiece, type UploadedRow } from './sealed-piece.ts';
import { UploadRefused } from './upload-refused.ts';

/** A piece has at most this many rows: one unit checks or sends them. Each unit delays other writes by some milliseconds. */
const rowsPerPiece = 25;
/** The number of pieces that wait for the database while the next ones are read. */
const maxStoring = 4;
/** The limit of a piece in characters of JSON: a piece with long rows has fewer of them. */
const charactersPerPiece = 131_072;

/** The bytes of an upload, and where its rows are stored. */
export type IncomingUpload = {
  readonly bytes: Readable;
  readonly signal: AbortSignal;
  readonly parser: UploadParser;
  readonly pieceKey: PieceKey;
  /** Whether an earlier request has stored rows of the same upload. */
  readonly continues: boolean;
  readonly read: Read;
  /** Without a ledger event: no row has an effect before the event that ends the upload. */
  readonly write: (unit: readonly Statement[]) => Promise<Row[][]>;
  readonly random: RandomBytes;
};

/** A complete upload, with the SHA-256 of its bytes in hex. `refused`: the reason for which the file is refused as a whole. */
export type ReceivedUpload = { readonly rows: number; readonly sha256: string; readonly refused?: UploadRefused };

/** The upload ended early: its sender is gone, it is larger than `batchLimits`, or it conflicts with an earlier request. */
export type UploadEnd = 'broken-off' | 'too-large' | 'other-content' | 'in-progress';

/** The rows of a repeated upload differ from the stored ones, or another request stores them now. */
class UploadConflict extends Error {
  override readonly name = 'UploadConflict';
  readonly end: 'other-content' | 'in-progress';

  constructor(end: 'other-content' | 'in-progress') {
    super(`expected to store the rows of an upload, and it has ${end}`);
    this.end = end;
  }
}

/**
 * Receives an upload and stores its rows in sealed pieces. A repeated upload skips the pieces that are stored. A few pieces
 * wait for the database while the next ones are read. A refused file is read to its end, so that the refusal reaches the client.
 */
export async function receiveUpload(upload: IncomingUpload): Promise<ReceivedUpload | UploadEnd> {
  const hash = createHash('sha256');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const store = createPieceStore(upload);
  let refused: UploadRefused | undefined;
  let isFirst = true;
  const handle = async (call: () => Promise<void>) => {
    if (refused !== undefined) return;
    await call().catch((fault: unknown) => {
      refused = toUploadRefused(fault);
    });
  };
  try {
    for await (const chunk of chunksOf(upload)) {
      if (isFirst) await handle(async () => checkSignature(chunk));
      isFirst = false;
      hash.update(chunk);
      await handle(async () => store.add(await upload.parser.add(decoder.decode(chunk, { stream: true }))));
    }
    await handle(async () => {
      await store.add(await upload.parser.add(decoder.decode()));
      await store.add(await upload.parser.end());
    });
    const rows = await store.end();
    if (rows === 0) refused ??= new UploadRefused('no-rows', 'expected at least one row after the column names');
    return { rows, sha256: hash.digest('hex'), ...(refused === undefined ? {} : { refused }) };
  } catch (fault) {
    return toUploadEnd(upload, fault);
  }
}

/** The SHA-256 of an upload in hex, without storing anything. */
export async function hashUpload(
  upload: Pick<IncomingUpload, 'bytes' | 'signal'>,
): Promise<Pick<ReceivedUpload, 'sha256'> | UploadEnd> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of chunksOf(upload)) hash.update(chunk);
    return { sha256: hash.digest('hex') };
  } catch (fault) {
    return toUploadEnd(upload, fault);
  }
}

class UploadTooLarge extends Error {
  override readonly name = 'UploadTooLarge';
}

async function* chunksOf({ bytes, signal }: Pick<IncomingUpload, 'bytes' | 'signal'>): AsyncGenerator<Buffer> {
  let length = 0;
  // After a refusal the request stays open, so that the refusal reaches the client.
  for await (const chunk of bytes.iterator({ destroyOnReturn: false })) {
    signal.throwIfAborted();
    // The stream is the request without an encoding: its chunks are buffers.
    const buffer = chunk as Buffer;
    length += buffer.length;
    if (length > batchLimits.bytes) throw new UploadTooLarge(`expected at most ${batchLimits.bytes} bytes`);
    yield buffer;
  }
}

const howToSave = 'in Excel save as "CSV UTF-8", in LibreOffice as "Text CSV" with the character set "Unicode (UTF-8)"';
/** The first bytes of files that people send instead of CSV. Workbooks are ZIP archives, or of the older format of Excel. */
const otherFiles = [
  { start: '504b0304', name: 'a workbook' },
  { start: 'd0cf11e0', name: 'a workbook' },
  { start: 'fffe', name: 'UTF-16' },
  { start: 'feff', name: 'UTF-16' },
] as const;

function checkSignature(chunk: Buffer): void {
  const start = chunk.subarray(0, 4).toString('hex');
  const other = otherFiles.find((one) => start.startsWith(one.start));
  if (other !== undefined)
    throw new UploadRefused('not-utf-8', `expected a text file in UTF-8, received ${other.name}; ${howToSave}`);
}

/** The refusal of the file. Other faults are thrown. */
function toUploadRefused(fault: unknown): UploadRefused {
  if (fault instanceof UploadRefused) return fault;
  if (fault instanceof TypeError && 'code' in fault && fault.code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
    return new UploadRefused('not-utf-8', `expected UTF-8; ${howToSave}`);
  throw fault;
}

function toUploadEnd({ bytes, signal }: Pick<IncomingUpload, 'bytes' | 'signal'>, fault: unknown): UploadEnd {
  if (fault instanceof UploadTooLarge) return 'too-large';
  if (fault instanceof UploadConflict) return fault.end;
  if (bytes.errored !== null || bytes.readableAborted || signal.aborted) return 'broken-off';
  throw fault;
}

function createPieceStore(upload: IncomingUpload) {
  let rows: UploadedRow[] = [];
  let characters = 0;
  let firstRow = 1;
  const storing = new Set<Promise<void>>();
  const faults: unknown[] = [];

  function throwFault(): void {
    if (faults.length > 0) throw faults[0];
  }

  async function store(): Promise<void> {
    const piece = { firstRow, rows };
    firstRow += rows.length;
    rows = [];
    characters = 0;
    if (storing.size === maxStoring) await Promise.race(storing);
    throwFault();
    const task = storePiece(upload, piece)
      .catch((fault: unknown) => void faults.push(fault))
      .finally(() => storing.delete(task));
    storing.add(task);
  }

  return {
    add: async (added: readonly UploadedRow[]) => {
      for (const row of added) {
        const length = JSON.stringify(row).length;
        if (rows.length === rowsPerPiece || (rows.length > 0 && characters + length > charactersPerPiece))
          await store();
        rows.push(row);
        characters += length;
        if (firstRow + rows.length - 1 > batchLimits.rows)
          throw new UploadRefused('too-many-rows', `expected at most ${batchLimits.rows} rows; split the file`);
      }
    },
    /** Stores the last piece, and returns the number of rows. */
    end: async (): Promise<number> => {
      if (rows.length > 0) await store();
      await Promise.all(storing);
      throwFault();
      const { continues, read, pieceKey } = upload;
      // The interrupted upload had more rows.
      if (continues && (await findPieceFrom(read, pieceKey.batch, firstRow)) !== undefined)
        throw new UploadConflict('other-content');
      return firstRow - 1;
    },
  };
}

async function storePiece({ pieceKey, continues, read, write, random }: IncomingUpload, piece: Piece): Promise<void> {
  const sealed = sealPiece(pieceKey, piece, random);
  const stored = continues ? await findPieceDigest(read, pieceKey.batch, piece.firstRow) : undefined;
  if (stored !== undefined) {
    if (!Buffer.from(stored).equals(sealed.digest)) throw new UploadConflict('other-content');
    return;
  }
  try {
    await write([insertPiece(pieceKey.batch, sealed)]);
  } catch (fault) {
    if (fault instanceof WriteRefused && fault.kind === 'unique') throw new UploadConflict('in-progress');
    throw fault;
  }
}
