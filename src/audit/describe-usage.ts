import type { PurposeText } from '../auth/purpose-texts.ts';
import type { Usage } from './usage.ts';

/**
 * The document or message of a use. `available`: the citizen can open it now; `unavailable`: it exists, such as a message that is
 * not in the inbox; `erased`: it does not exist any more.
 */
type UsedObject = {
  readonly type: 'document' | 'message';
  readonly id: string;
  readonly state: 'available' | 'unavailable' | 'erased';
  /** The title of the document, or the subject of the message. */
  readonly title?: string | undefined;
  /** The language of the title, if the sender of the message named it. */
  readonly language?: string | undefined;
};

type Organisation = { readonly type: 'GOV'; readonly code: string; readonly name: string };

/** The subject of a use in words that only the citizen gets: the log has ids. */
export type UsageDescription = {
  readonly object?: UsedObject;
  /** The organisation that was given, or lost, access to the document. */
  readonly recipientOrg?: Organisation;
  /** The purpose in words, as the client registered them. */
  readonly purposeText?: string;
  /** The language of `purposeText`, if it is known. */
  readonly purposeLanguage?: string;
};

/** The look-ups of a description. */
export type DescribeDeps = {
  readonly organisationOf: (clientId: string) => string;
  /** The citizen's document of that id, with its title opened under the citizen's key. */
  readonly ownDocumentOf: (id: string, citizenId: string) => Promise<UsedObject>;
  /** The citizen's message of that id, with its subject if it is in the inbox. */
  readonly ownMessageOf: (id: string, citizenId: string) => Promise<UsedObject>;
  /** The text of a purpose of that client in a language. */
  readonly purposeTextOf: (clientId: string, purpose: string, language: string) => PurposeText | undefined;
};

type Reader = { readonly citizenId: string; readonly language: string };

/** Describes the uses of one page. An object that several uses name is opened once. */
export function createUsageDescriber(deps: DescribeDeps, { citizenId, language }: Reader) {
  const objects = new Map<string, Promise<UsedObject>>();

  function objectOf({ document, notification }: Readonly<Record<string, unknown>>): Promise<UsedObject> | undefined {
    const id = typeof document === 'string' ? document : notification;
    if (typeof id !== 'string') return undefined;
    const found =
      objects.get(id) ?? (id === document ? deps.ownDocumentOf(id, citizenId) : deps.ownMessageOf(id, citizenId));
    objects.set(id, found);
    return found;
  }

  return async ({ details = {}, purpose, initiatorOrg }: Usage): Promise<UsageDescription> => {
    const object = await objectOf(details);
    const { to } = details;
    const recipient = typeof to === 'string' ? to : undefined;
    // The purpose of a grant is one of the client that gets it.
    const [found] = [recipient, initiatorOrg?.code].flatMap((code) =>
      code === undefined || purpose === undefined ? [] : (deps.purposeTextOf(code, purpose, language) ?? []),
    );
    return {
      ...(object === undefined ? {} : { object }),
      ...(recipient === undefined
        ? {}
        : { recipientOrg: { type: 'GOV', code: recipient, name: deps.organisationOf(recipient) } }),
      ...(found === undefined ? {} : { purposeText: found.text }),
      ...(found === undefined || found.language === '' ? {} : { purposeLanguage: found.language }),
    };
  };
}
