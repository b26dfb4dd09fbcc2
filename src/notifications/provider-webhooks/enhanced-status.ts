/** The subject of an enhanced mail status: who or what is the cause of a rejection. */
export type StatusCategory = 'address' | 'full' | 'sender' | 'message' | 'system' | 'network' | 'policy';

/** The category of an SMTP reply (RFC 2034). The status follows the code directly; the rest is free text. */
export function replyStatusCategoryOf(response: string): StatusCategory | undefined {
  const [, subject, detail] = /^\d{3}[ -]\d\.(\d{1,3})\.(\d{1,3})(?!\S)/.exec(response) ?? [];
  return statusCategoryOf(subject, detail);
}

/** The category by subject and detail (RFC 3463, sections 3.2 to 3.8); undefined where they have no meaning. */
export function statusCategoryOf(subject: string | undefined, detail: string | undefined): StatusCategory | undefined {
  switch (subject) {
    case '1':
      // Invalid syntax or system of the sender's address.
      return detail === '7' || detail === '8' ? 'sender' : 'address';
    case '2':
      if (detail === '2') return 'full';
      return detail === '3' ? 'message' : 'address';
    case '3':
      return detail === '4' ? 'message' : 'system';
    case '4':
      return 'network';
    case '5':
      return 'system';
    case '6':
      return 'message';
    case '7':
      return 'policy';
    default:
      return undefined;
  }
}
