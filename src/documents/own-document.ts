import type { Read } from '../db/database.ts';
import { parseId } from '../kernel/id.ts';
import { findDocument } from './document-store.ts';
import { openDocumentContent, undefinedIfInvalid } from './open-document.ts';
import type { DocumentPorts } from './ports.ts';

/** A document in the access log of its citizen. */
export type OwnDocument = {
  readonly type: 'document';
  readonly id: string;
  readonly state: 'available' | 'unavailable' | 'erased';
  readonly title?: string | undefined;
};

/**
 * The document of that id with its title, opened under the key of the citizen. `erased` without a title: it was erased, or it is not of
 * this citizen.
 */
export async function findOwnDocument(
  deps: Pick<DocumentPorts, 'citizenKeys' | 'alarm'> & { readonly read: Read },
  id: string,
  citizenId: string,
): Promise<OwnDocument> {
  const parsed = parseId('document', id);
  const found = parsed === undefined ? undefined : await findDocument(deps.read, parsed);
  const document = found?.document;
  if (document === undefined || document.citizenId !== citizenId || document.status === 'erased')
    return { type: 'document', id, state: 'erased' };
  const content = await openDocumentContent(deps, document).catch(undefinedIfInvalid);
  const state = document.status === 'available' ? 'available' : 'unavailable';
  return { type: 'document', id, state, title: content?.title };
}
