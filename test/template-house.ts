import assert from 'node:assert/strict';
import { openInboxMessage } from '../src/notifications/inbox/open-inbox-message.ts';
import { createTemplate } from '../src/notifications/templates/create-template.ts';
import { listOwnTemplates } from '../src/notifications/templates/list-templates.ts';
import { readTemplate } from '../src/notifications/templates/read-template.ts';
import { removeOwnTemplate } from '../src/notifications/templates/remove-template.ts';
import type { Db } from '../src/store/db.ts';
import { createNotificationHouse } from './notification-house.ts';

/** When everything happens. */
export const now = Date.UTC(2026, 0, 15, 9);
const citizens = {
  'cit-ada': { email: 'ada@example.org', language: 'nl' },
  'cit-jean': { email: 'jean@example.org', language: 'fr-CH' },
  'cit-eve': { email: 'eve@example.org', language: 'pl' },
  'cit-nobody-says': { email: 'x@example.org' },
};
/** A text in two languages. */
export const permit = {
  name: 'Permit ready',
  defaultLanguage: 'FR-be',
  texts: [
    { language: 'fr-BE', subject: 'Permis ((number))', message: 'Bonjour ((name)), le permis ((number)) est prêt.' },
    { language: 'nl-be', message: 'Dag ((name)), vergunning ((number)) ligt klaar.' },
  ],
};
/** Its values. */
export const values = { name: 'Ada', number: '118' };

/** A house with citizens of several languages, and the operations on templates. */
export async function openTemplateHouse(db: Db) {
  const house = await createNotificationHouse(db, { now: () => now }, citizens);
  const [create, list, read, remove] = [
    house.serve(createTemplate),
    house.serve(listOwnTemplates),
    house.serve(readTemplate),
    house.serve(removeOwnTemplate),
  ];
  return {
    ...{ house, create, list, read, remove },
    make: async (body: object = permit, ask?: object) => {
      const answer = await create({ body }, ask);
      assert.ok('json' in answer, JSON.stringify(answer));
      return String(answer.json['id']);
    },
    opened: async (id: string, citizenId: string) => {
      const answer = await house.serve(openInboxMessage)({ params: { id } }, { citizenId });
      assert.ok('json' in answer, JSON.stringify(answer));
      const { language, message, subject } = answer.json;
      return { language, message, subject };
    },
  };
}

/** The places and codes of the faults that an answer tells. */
export const issuesIn = (answer: object) =>
  ('refused' in answer ? (answer.refused as { issues?: { pointer?: string; code: string }[] }).issues : undefined)?.map(
    ({ pointer, code }) => `${pointer} ${code}`,
  );
