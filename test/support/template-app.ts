import assert from 'node:assert/strict';
import type { Database } from '../../src/db/database.ts';
import { createTemplate } from '../../src/notifications/create-template.ts';
import { listTemplates } from '../../src/notifications/list-templates.ts';
import { openInboxMessage } from '../../src/notifications/open-inbox-message.ts';
import { readTemplate } from '../../src/notifications/read-template.ts';
import { removeTemplate } from '../../src/notifications/remove-template.ts';
import { createNotificationApp } from './notification-app.ts';

/** The fixed time of the app. */
export const templateAppTimeMs = Date.UTC(2026, 0, 15, 9);
const citizens = {
  'cit-ada': { email: 'ada@example.org', language: 'nl' },
  'cit-jean': { email: 'jean@example.org', language: 'fr-CH' },
  'cit-eve': { email: 'eve@example.org', language: 'pl' },
  'cit-nobody-says': { email: 'x@example.org' },
};
/** A template in two languages. */
export const permitTemplate = {
  name: 'Permit ready',
  defaultLanguage: 'FR-be',
  texts: [
    { language: 'fr-BE', subject: 'Permis ((number))', message: 'Bonjour ((name)), le permis ((number)) est prêt.' },
    { language: 'nl-be', message: 'Dag ((name)), vergunning ((number)) ligt klaar.' },
  ],
};
/** The values of `permitTemplate`. */
export const values = { name: 'Ada', number: '118' };

/** The app with citizens of several languages and the operations on templates. */
export async function openTemplateApp(db: Database) {
  const app = await createNotificationApp(db, { now: () => templateAppTimeMs }, citizens);
  const [create, list, read, remove] = [
    app.serve(createTemplate),
    app.serve(listTemplates),
    app.serve(readTemplate),
    app.serve(removeTemplate),
  ];
  return {
    app,
    create,
    list,
    read,
    remove,
    make: async (body: object = permitTemplate, caller?: object) => {
      const answer = await create({ body }, caller);
      assert.ok('json' in answer, JSON.stringify(answer));
      return String(answer.json['id']);
    },
    opened: async (id: string, citizenId: string) => {
      const answer = await app.serve(openInboxMessage)({ params: { id } }, { citizenId });
      assert.ok('json' in answer, JSON.stringify(answer));
      const { language, message, subject } = answer.json;
      return { language, message, subject };
    },
  };
}

/** The pointers and codes of the issues in an answer. */
export const templateIssuesIn = (answer: object) =>
  ('refused' in answer ? (answer.refused as { issues?: { pointer?: string; code: string }[] }).issues : undefined)?.map(
    ({ pointer, code }) => `${pointer} ${code}`,
  );
