import { announcedTooLarge } from '../api/body.ts';
import type { Call, RequestShape } from '../api/operation.ts';
import type { Json } from '../kernel/canonical-json.ts';
import { type Issue, type Refusal, refusalOfIssues } from '../kernel/problem.ts';
import { framingBytes, isForm, issueOfForm, readDepositForm } from './deposit-form.ts';
import { type DepositGiven, type DepositTerms, readDepositHeaders } from './deposit-headers.ts';
import { refusalOfPurpose } from './header-text.ts';
import type { DocumentPorts } from './ports.ts';
import { piecesOf } from './receive-document.ts';
import { findRetentionClass, retentionOf } from './retention-class.ts';

/** A deposit as it is wanted, its document still unread. */
export type Wanted = {
  readonly terms: DepositTerms & { readonly eraseAt: number | null };
  /** What makes two deposits the same: everything that was stated, the digest of the document included. */
  readonly input: Json;
  readonly pieces: AsyncIterable<Uint8Array>;
};

type DepositCall = Pick<
  Call<RequestShape, Pick<DocumentPorts, 'limit'>>,
  'bytes' | 'caller' | 'now' | 'ports' | 'read' | 'repeat'
> & {
  readonly headers: DepositGiven;
};

/** What a deposit says of its document, in headers or in the fields of a form, with all that is wrong with it. */
export async function readDeposit(call: DepositCall): Promise<Wanted | { readonly refusal: Refusal }> {
  const type = call.headers['content-type'];
  const framing = isForm(type) ? framingBytes : 0;
  const tooLarge = announcedTooLarge(call.headers['content-length'], call.ports.limit, framing);
  if (tooLarge !== undefined) return { refusal: tooLarge };
  const form = isForm(type) ? await readDepositForm(call.bytes, type, call.ports.limit) : undefined;
  if (form !== undefined && 'refusal' in form) return form;
  const given = form?.given ?? call.headers;
  const read = readDepositHeaders(given, call.now);
  const shown = (issue: Issue) => (form === undefined ? issue : issueOfForm(issue));
  if ('refusal' in read) {
    const { refusal } = read;
    return { refusal: { ...refusal, ...(refusal.issues && { issues: refusal.issues.map(shown) }) } };
  }
  const { terms } = read;
  const refusal = refusalOfPurpose(call.caller, terms.ground.purpose);
  if (refusal !== undefined) return { refusal };
  if (call.repeat !== undefined && terms.sha256 === undefined) {
    const detail = 'required with an Idempotency-Key: it tells a repeated document from another one';
    return issueWith(shown({ in: 'header', name: 'repr-digest', code: 'required', detail }));
  }
  const { 'content-length': _length, 'content-encoding': _coding, ...stated } = given;
  const pieces = form?.pieces ?? piecesOf(call.bytes);
  const wanted = { input: { ...stated }, pieces };
  if (terms.retentionClass === null) return { ...wanted, terms: { ...terms, eraseAt: null } };
  const found = await findRetentionClass(call.read, terms.retentionClass);
  if (found !== undefined) {
    return { ...wanted, terms: { ...terms, ...retentionOf(found, terms.issuedAt, terms.retainUntil) } };
  }
  const detail = 'must be a retention class of this installation';
  return issueWith(shown({ in: 'header', name: 'document-retention-class', code: 'not-allowed', detail }));
}

function issueWith(issue: Issue): { refusal: Refusal } {
  return { refusal: refusalOfIssues([issue]) };
}
