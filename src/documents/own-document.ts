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

/** The format and the size in bytes of a document. */
export type DocumentFile = { readonly mediaType: string; readonly size: number };

type OwnDocumentDeps = Pick<DocumentPorts, 'citizenKeys' | 'alarm'> & { readonly read: Read };

/**
 * The document of that id with its title, opened under the key of the citizen. `erased` without a title: it was erased, or it is not of
 * this citizen.
 */
export async function findOwnDocument(deps: OwnDocumentDeps, id: string, citizenId: string): Promise<OwnDocument> {
  const document = await findOfCitizen(deps, id, citizenId);
  if (document === undefined) return { type: 'document', id, state: 'erased' };
  const content = await openDocumentContent(deps, document).catch(undefinedIfInvalid);
  const state = document.status === 'available' ? 'available' : 'unavailable';
  return { type: 'document', id, state, title: content?.title };
}

/** The file of a document that its citizen can open now; undefined for all others. */
export async function findOwnFile(
  deps: OwnDocumentDeps,
  id: string,
  citizenId: string,
): Promise<DocumentFile | undefined> {
  const document = await findOfCitizen(deps, id, citizenId);
  if (document?.status !== 'available') return undefined;
  const content = await openDocumentContent(deps, document).catch(undefinedIfInvalid);
  return content === undefined ? undefined : { mediaType: content.mediaType, size: content.size };
}

async function findOfCitizen({ read }: OwnDocumentDeps, id: string, citizenId: string) {
  const parsed = parseId('document', id);
  const document = parsed === undefined ? undefined : (await findDocument(read, parsed))?.document;
  return document?.citizenId === citizenId && document.status !== 'erased' ? document : undefined;
}
