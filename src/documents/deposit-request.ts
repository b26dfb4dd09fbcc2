import type { OperationCall, RequestShape } from '../api/operation.ts';
import { declaredTooLarge } from '../api/read-body.ts';
import type { Json } from '../kernel/canonical-json.ts';
import { type Issue, type Refusal, refuseIssues } from '../kernel/refusal.ts';
import { isForm, maxFramingBytes, readDepositForm, toFormIssue, toFormRefusal } from './deposit-form.ts';
import { type DepositHeaders, type DepositTerms, readDepositHeaders } from './deposit-headers.ts';
import { refusalOfPurpose } from './http/header-text.ts';
import type { DocumentPorts } from './ports.ts';
import { piecesOf } from './receive-document.ts';
import { findRetentionClass, retentionDates } from './retention/retention-class.ts';

/** A parsed deposit; its document is not read yet. */
export type DepositRequest = {
  readonly terms: DepositTerms & { readonly eraseAt: number | null };
  /** The stated values including the digest: two deposits with equal input are the same one. */
  readonly input: Json;
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly isForm: boolean;
};

type DepositCall = Pick<
  OperationCall<RequestShape, Pick<DocumentPorts, 'limit'>>,
  'bytes' | 'caller' | 'now' | 'ports' | 'read' | 'repeat'
> & {
  readonly headers: DepositHeaders;
};

/** Parses the description of a deposit from headers or form fields; the refusal names all faults. */
export async function parseDeposit(call: DepositCall): Promise<DepositRequest | { readonly refusal: Refusal }> {
  const type = call.headers['content-type'];
  const framing = isForm(type) ? maxFramingBytes : 0;
  const tooLarge = declaredTooLarge(call.headers['content-length'], call.ports.limit, framing);
  if (tooLarge !== undefined) return { refusal: tooLarge };
  const form = isForm(type) ? await readDepositForm(call.bytes, type, call.ports.limit) : undefined;
  if (form !== undefined && 'refusal' in form) return form;
  const headers = form?.headers ?? call.headers;
  const read = readDepositHeaders(headers, call.now);
  const toIssue = (issue: Issue) => (form === undefined ? issue : toFormIssue(issue));
  if ('refusal' in read) {
    return form === undefined ? read : { refusal: toFormRefusal(read.refusal) };
  }
  const { terms } = read;
  const refusal = refusalOfPurpose(call.caller, terms.processingBasis.purpose);
  if (refusal !== undefined) return { refusal };
  if (call.repeat !== undefined && terms.sha256 === undefined) {
    const detail = 'required with an Idempotency-Key, to recognise a repeated document';
    return { refusal: refuseIssues([toIssue({ in: 'header', name: 'repr-digest', code: 'required', detail })]) };
  }
  const { 'content-length': _length, 'content-encoding': _coding, ...stated } = headers;
  const pieces = form?.pieces ?? piecesOf(call.bytes);
  const request = { input: { ...stated }, pieces, isForm: form !== undefined };
  if (terms.retentionClass === null) return { ...request, terms: { ...terms, eraseAt: null } };
  const retention = await findRetentionClass(call.read, terms.retentionClass);
  if (retention === undefined) {
    const detail = 'must be a retention class of this installation';
    const issue = toIssue({ in: 'header', name: 'document-retention-class', code: 'not-allowed', detail });
    return { refusal: refuseIssues([issue]) };
  }
  return { ...request, terms: { ...terms, ...retentionDates(retention, terms.issuedAt, terms.retainUntil) } };
}
