import { sha256 } from '../../kernel/hashing.ts';
import type { RowCode } from './batch.ts';

/** The members of a message by which it counts as a duplicate. */
type ComparableMessage = {
  readonly citizenId: string;
  readonly message?: string | undefined;
  readonly subject?: string | undefined;
  readonly templateId?: string | undefined;
  readonly personalisation?: Readonly<Record<string, string>> | undefined;
  readonly reference?: string | undefined;
};

/** Finds the rows of a batch that repeat an earlier one. */
export type DuplicateFinder = {
  /** The reason why a message is a duplicate; otherwise later ones are compared with it. */
  find(message: ComparableMessage): { readonly code: RowCode; readonly detail: string } | undefined;
};

/** Creates the finder of one batch. It stores a hash of 24 characters for each row and reference. */
export function createDuplicateFinder(): DuplicateFinder {
  const messages = new Set<string>();
  const references = new Set<string>();
  return {
    find: ({ citizenId, message, subject, templateId, personalisation, reference }) => {
      const values = Object.entries(personalisation ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
      const hash = hashOf([citizenId, message ?? null, subject ?? null, templateId ?? null, values]);
      if (messages.has(hash))
        return { code: 'duplicate-row', detail: 'an earlier row has the same citizen and the same message' };
      const referenceHash = reference === undefined ? undefined : hashOf(reference);
      if (referenceHash !== undefined && references.has(referenceHash))
        return { code: 'duplicate-reference', detail: 'column reference: an earlier row has the same reference' };
      messages.add(hash);
      if (referenceHash !== undefined) references.add(referenceHash);
      return undefined;
    },
  };
}

function hashOf(value: unknown): string {
  return sha256(Buffer.from(JSON.stringify(value)))
    .toString('base64')
    .slice(0, 24);
}
