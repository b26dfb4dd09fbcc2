import { openSealed, seal } from '../../crypto/chunked-encryption.ts';
import { lookupByKey } from '../../db/batch-statements.ts';
import type { Read, Row, Statement } from '../../db/database.ts';
import {
  bytesField,
  enumField,
  idField,
  integerField,
  integerOrNull,
  textField,
  textOrNull,
} from '../../db/row-fields.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import { type PresentationId, parseId } from '../../kernel/id.ts';
import { type FailureReason, failureReasons } from '../failure-reason.ts';
import {
  type PendingPresentation,
  type Presentation,
  type PresentationStatus,
  type PresentationTerms,
  presentationStatuses,
  sessionLimits,
  type WalletError,
  walletErrors,
} from './presentation.ts';
import { type HandleKind, handleTag } from './wallet-handle.ts';

/** The key under which terms and pending presentations are encrypted, and randomness for it. */
export type PresentationKeys = { readonly sealKey: Uint8Array; readonly random: RandomBytes };

const columns = `id, client_id, status, created_at, expires_at, ended_at, purpose, keeps_link, reason, wallet_error,
  verification_id, terms, pending`;

const findRow = lookupByKey('presentation', 'id', columns);
const findRowByHandle = lookupByKey(
  'presentation_handle join presentation on presentation.id = presentation_id',
  'tag',
  `tag, ${columns}`,
);

/** A new presentation, before it is stored. */
export type NewPresentation = Pick<Presentation, 'id' | 'clientId' | 'createdAt'> & {
  readonly terms: PresentationTerms;
};

/** Stores a new presentation with the handles of its addresses. */
export function insertPresentation(keys: PresentationKeys, presentation: NewPresentation): Statement[] {
  const { id, clientId, createdAt, terms } = presentation;
  const sealed = sealValue(keys, { id, column: 'terms' }, terms);
  const purpose = terms.purpose === undefined ? null : sealValue(keys, { id, column: 'purpose' }, terms.purpose);
  const expiresAt = createdAt + sessionLimits.openMs;
  return [
    {
      sql: `insert into presentation (id, client_id, status, created_at, expires_at, purpose, terms)
        values ($1, $2, 'requested', $3, $4, $5, $6)`,
      args: [id, clientId, createdAt, expiresAt, purpose, sealed],
    },
    insertHandle('page', terms.pageHandle, id),
    ...terms.requests.flatMap(({ requestHandle, responseHandle }) => [
      insertHandle('request', requestHandle, id),
      insertHandle('response', responseHandle, id),
    ]),
  ];
}

/** Stores the handle of an address. */
export function insertHandle(kind: HandleKind, handle: string, id: PresentationId): Statement {
  return {
    sql: 'insert into presentation_handle (tag, presentation_id) values ($1, $2)',
    args: [handleTag(kind, handle), id],
  };
}

/** Stores that a wallet fetched the request. Refused (`rows`) if one has fetched it before, or the presentation has ended. */
export function markFetched(id: PresentationId): Statement {
  return {
    sql: `update presentation set status = 'fetched' where id = $1 and status = 'requested' returning id`,
    args: [id],
    rows: 1,
  };
}

/** Stores a checked presentation until its session is confirmed. Refused (`rows`) if it has an answer, or has ended. */
export function markAnswered(keys: PresentationKeys, id: PresentationId, pending: PendingPresentation): Statement {
  return {
    sql: `update presentation set status = 'answered', pending = $2
      where id = $1 and status in ('requested', 'fetched') returning id`,
    args: [id, sealValue(keys, { id, column: 'pending' }, pending)],
    rows: 1,
  };
}

/** The final state of a presentation, and the states from which it may change to it. */
export type PresentationEnd = {
  readonly from: readonly PresentationStatus[];
  readonly to: PresentationStatus;
  readonly at: number;
  readonly reason?: FailureReason;
  readonly walletError?: WalletError;
  readonly verificationId?: string;
};

/** Ends a presentation, and deletes its terms and attributes. Refused (`rows`) if its state is none of `from`. */
export function endPresentation(id: PresentationId, end: PresentationEnd): Statement {
  const [first = '', second = first, third = second] = end.from;
  return {
    sql: `update presentation set status = $2, ended_at = $3, reason = $4, wallet_error = $5, verification_id = $6,
        terms = null, pending = null
      where id = $1 and status in ($7, $8, $9) returning id`,
    args: [
      id,
      end.to,
      end.at,
      end.reason ?? null,
      end.walletError ?? null,
      end.verificationId ?? null,
      first,
      second,
      third,
    ],
    rows: 1,
  };
}

/** Stores whether the citizen agreed to be recognised by the number. */
export function setKeepsLink(id: PresentationId, keepsLink: boolean): Statement {
  return {
    sql: `update presentation set keeps_link = $2 where id = $1 and status in ('requested', 'fetched') returning id`,
    args: [id, keepsLink],
  };
}

/** Counts a code that the citizen typed. Returns no row after `sessionLimits.codeAttempts`. */
export function countCodeAttempt(id: PresentationId): Statement {
  return {
    sql: `update presentation set code_attempts = code_attempts + 1
      where id = $1 and status = 'answered' and code_attempts < ${sessionLimits.codeAttempts} returning code_attempts`,
    args: [id],
  };
}

type Deps = { readonly read: Read } & Pick<PresentationKeys, 'sealKey'>;

/**
 * The presentation with this id when it belongs to the client. Attack: the response time would show that an id exists, so the row of another
 * client is not decrypted (test/attacks/object-access.test.ts).
 */
export async function findOwnPresentation(
  deps: Deps,
  text: string,
  clientId: string,
): Promise<Presentation | undefined> {
  const id = parseId('presentation', text);
  const [row] = id === undefined ? [] : await findRow(deps.read, id);
  return row?.['client_id'] === clientId ? presentationFromRow(deps, row) : undefined;
}

/** The presentation that a handle of this kind opens. */
export async function findByHandle(deps: Deps, kind: HandleKind, handle: string): Promise<Presentation | undefined> {
  const [row] = await findRowByHandle(deps.read, handleTag(kind, handle));
  return row === undefined ? undefined : presentationFromRow(deps, row);
}

/** The open presentations whose time is over, oldest first. */
export async function findOverdue(read: Read, now: number, limit: number) {
  const rows = await read(
    `select id, client_id from presentation where ended_at is null and expires_at <= $1 order by expires_at limit $2`,
    [now, limit],
  );
  return rows.map((row) => ({ id: idField(row, 'id', 'presentation'), clientId: textField(row, 'client_id') }));
}

/** The ids of presentations that ended before an instant. */
export async function findDeletable(read: Read, endedBefore: number, limit: number): Promise<PresentationId[]> {
  const rows = await read('select id from presentation where ended_at < $1 order by ended_at limit $2', [
    endedBefore,
    limit,
  ]);
  return rows.map((row) => idField(row, 'id', 'presentation'));
}

/** Deletes the row of an ended presentation and its handles. */
export function deletePresentation(id: PresentationId): Statement[] {
  return [
    { sql: 'delete from presentation_handle where presentation_id = $1', args: [id] },
    { sql: 'delete from presentation where id = $1', args: [id] },
  ];
}

function presentationFromRow(keys: Pick<PresentationKeys, 'sealKey'>, row: Row): Presentation {
  const id = idField(row, 'id', 'presentation');
  const reason = textOrNull(row, 'reason');
  const walletError = textOrNull(row, 'wallet_error');
  const keepsLink = row['keeps_link'];
  return {
    id,
    clientId: textField(row, 'client_id'),
    status: enumField(row, 'status', presentationStatuses),
    createdAt: integerField(row, 'created_at'),
    expiresAt: integerField(row, 'expires_at'),
    endedAt: integerOrNull(row, 'ended_at'),
    keepsLink: typeof keepsLink === 'boolean' ? keepsLink : null,
    reason: reason === null ? null : enumField(row, 'reason', failureReasons),
    walletError: walletError === null ? null : enumField(row, 'wallet_error', walletErrors),
    verificationId: textOrNull(row, 'verification_id'),
    // `sealValue` wrote these, and they are authenticated.
    purpose: (openValue(keys, { id, column: 'purpose' }, row) ?? null) as string | null,
    terms: openValue(keys, { id, column: 'terms' }, row) as PresentationTerms | undefined,
    pending: openValue(keys, { id, column: 'pending' }, row) as PendingPresentation | undefined,
  };
}

/** The place of an encrypted value: one that is moved to another place does not open. */
type Place = { readonly id: PresentationId; readonly column: 'terms' | 'pending' | 'purpose' };

function sealContext({ id, column }: Place): string {
  return `citizen-services/presentation-${column}@v1\0${id}`;
}

function sealValue({ sealKey, random }: PresentationKeys, place: Place, value: unknown): Uint8Array {
  return seal(sealKey, sealContext(place), Buffer.from(JSON.stringify(value)), random);
}

function openValue({ sealKey }: Pick<PresentationKeys, 'sealKey'>, place: Place, row: Row): unknown {
  if (row[place.column] === null) return undefined;
  return JSON.parse(openSealed(sealKey, sealContext(place), bytesField(row, place.column)).toString('utf8'));
}
