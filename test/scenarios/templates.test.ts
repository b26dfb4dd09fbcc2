import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOutbox } from '../../src/notifications/channels/demo-outbox.ts';
import { createTemplate } from '../../src/notifications/create-template.ts';
import { verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import { contentDigestOf } from '../../src/notifications/notification/message-content.ts';
import { readEvidence } from '../../src/notifications/read-evidence.ts';
import { maxTemplates } from '../../src/notifications/templates/template-store.ts';
import { engines } from '../support/database-engines.ts';
import { createDeliveryApp, minuteMs } from '../support/delivery-app.ts';
import {
  createNotificationApp,
  openTemplateApp,
  permitTemplate,
  templateAppTimeMs,
  templateIssuesIn,
  values,
} from '../support/notification-app.ts';

const knowing = { clientId: 'knowing office' };

/** The digest of a filled text of `permitTemplate` without a salt, which its sender could compute. */
function digestOfText({ language, message, subject }: (typeof permitTemplate.texts)[number]): string {
  const [tag = ''] = Intl.getCanonicalLocales(language);
  const filled = (text: string) => text.replace('((name))', values.name).replace('((number))', values.number);
  const text = { message: filled(message), subject: subject && filled(subject) };
  return contentDigestOf({ ...text, language: tag, template: message, values });
}

for (const engine of engines) {
  test(`${engine.name}: a template can be created, listed, read and removed by its own client only`, async (t) => {
    const { app, create, list, read, remove } = await openTemplateApp(await engine.open(t));
    const made = await create({ body: permitTemplate }, { key: 'k1' });
    assert.ok('json' in made);
    const id = String(made.json['id']);
    assert.match(id, /^tpl_\w{26}$/);
    const summary = {
      id,
      name: 'Permit ready',
      defaultLanguage: 'fr-BE',
      languages: ['fr-BE', 'nl-BE'],
      placeholders: ['name', 'number'],
      createdAt: '2026-01-15T09:00:00.000Z',
    };
    const [french, dutch] = permitTemplate.texts;
    const full = { ...summary, texts: [french, { ...dutch, language: 'nl-BE' }] };
    assert.deepEqual(made, { status: 201, headers: { location: `/v1/templates/${id}` }, json: full });
    const again = await create({ body: permitTemplate }, { key: 'k1' });
    assert.ok('json' in again && again.headers['idempotent-replayed'] === 'true');
    assert.deepEqual(again.json, full);
    const listed = await list({});
    assert.ok('json' in listed);
    assert.deepEqual(listed.json, { items: [summary] });
    const own = await read({ params: { id } });
    assert.ok('json' in own);
    assert.deepEqual(own.json, full);
    for (const operation of [read, remove]) {
      const foreign = await operation({ params: { id } }, { clientId: 'another' });
      assert.ok('refused' in foreign && foreign.refused.slug === 'template-not-found');
    }
    assert.ok('json' in (await remove({ params: { id } })));
    const gone = await remove({ params: { id } });
    assert.ok('refused' in gone && gone.refused.slug === 'template-not-found');
    assert.deepEqual(await app.events(), ['template.changed', 'template.changed']);
  });

  test(`${engine.name}: listing templates does not read their texts`, async (t) => {
    const db = await engine.open(t);
    const { list, make } = await openTemplateApp(db);
    await make();
    const listed = async () => {
      const answer = await list({});
      assert.ok('json' in answer);
      return answer.json;
    };
    const before = await listed();
    await db.write([{ sql: "update template set texts = 'not looked at'" }]);
    assert.deepEqual(await listed(), before);
  });

  test(`${engine.name}: each citizen gets the text in their language, else in the default language`, async (t) => {
    const { app, make, opened } = await openTemplateApp(await engine.open(t));
    const templateId = await make();
    const sent = async (citizenId: string, more = {}) => {
      const id = await app.accept({ citizenId, message: undefined, templateId, personalisation: values, ...more });
      return await opened(id, citizenId);
    };
    const french = {
      language: 'fr-BE',
      message: 'Bonjour Ada, le permis 118 est prêt.',
      subject: 'Permis 118',
    };
    const dutch = { language: 'nl-BE', message: 'Dag Ada, vergunning 118 ligt klaar.', subject: null };
    assert.deepEqual(await sent('cit-ada'), dutch);
    assert.deepEqual(await sent('cit-jean'), french);
    assert.deepEqual(await sent('cit-eve'), french);
    assert.deepEqual(await sent('cit-nobody-says'), french);
    assert.deepEqual(await sent('cit-eve', { language: 'nl' }), dutch);
    assert.deepEqual(await sent('cit-ada', { language: 'fr-be' }), french);
  });

  test(`${engine.name}: a message keeps its language when the citizen changes theirs or the template is removed`, async (t) => {
    const db = await engine.open(t);
    const { app, make, opened, remove } = await openTemplateApp(db);
    const templateId = await make();
    const id = await app.accept({ citizenId: 'cit-ada', message: undefined, templateId, personalisation: values });
    assert.ok('json' in (await remove({ params: { id: templateId } })));
    Object.assign(app.ports, { contactOf: async () => ({ language: 'fr' }) });
    assert.deepEqual((await opened(id, 'cit-ada'))['language'], 'nl-BE');
    const refused = await app.send({ citizenId: 'cit-ada', templateId, personalisation: values });
    assert.deepEqual(templateIssuesIn(refused), ['/templateId not-found']);
  });

  test(`${engine.name}: a mail is in the language of its text, including the texts of the server`, async (t) => {
    const citizens = { 'cit-nl': { email: 'nl@example.org', language: 'nl' } };
    const { app, start, time, faults } = await createDeliveryApp(t, await engine.open(t), { citizens });
    const outbox = createOutbox({ address: 'no-reply@tax.example', messageIdHost: 'tax.example' });
    const worker = await start({ email: outbox });
    const made = await app.serve(createTemplate)({ body: permitTemplate });
    assert.ok('json' in made);
    const body = { citizenId: 'cit-nl', templateId: made.json['id'], personalisation: values, message: undefined };
    const ids = [await app.accept(body), await app.accept({ ...body, language: 'fr' })];
    worker.wake();
    await time.advance(minuteMs, worker.idle);
    const mails = ids.map((id) => outbox.mails().find(({ headers }) => headers['Notification-Id'] === id));
    assert.deepEqual(
      mails.map((mail) => [mail?.subject, mail?.headers['Content-Language'], mail?.text.split(',')[0]]),
      [
        ['Bericht van Tax Office', 'nl-BE', 'Dag Ada'],
        ['Permis 118', 'fr-BE', 'Bonjour Ada'],
      ],
    );
    assert.deepEqual(faults, []);
  });

  test(`${engine.name}: a preview shows the language of the citizen only to callers with citizens:known`, async (t) => {
    const { app, make } = await openTemplateApp(await engine.open(t));
    const previewed = async (templateId: string, ask: object, more = {}) => {
      const body = { citizenId: 'cit-ada', templateId, personalisation: values, ...more };
      const answer = await app.preview(body, ask);
      assert.ok('json' in answer, JSON.stringify(answer));
      const [inbox, mail] = answer.json['channels'] as readonly Record<string, string>[];
      assert.match(String(inbox?.['html']), new RegExp(`lang="${answer.json['language']}"`));
      return [answer.json['language'], inbox?.['text'], mail?.['subject']];
    };
    const own = await make(permitTemplate, knowing);
    assert.deepEqual(await previewed(own, knowing), [
      'nl-BE',
      'Dag Ada, vergunning 118 ligt klaar.',
      'Bericht van Tax Office',
    ]);
    const other = await make();
    const french = ['fr-BE', 'Bonjour Ada, le permis 118 est prêt.', 'Permis 118'];
    assert.deepEqual(await previewed(other, {}), french);
    assert.deepEqual(await previewed(other, {}, { citizenId: 'cit-nobody' }), french);
    assert.equal((await previewed(other, {}, { language: 'nl' }))[0], 'nl-BE');
  });

  test(`${engine.name}: the evidence of a notification that can be cancelled does not reveal the citizen's language`, async (t) => {
    const { app, make } = await openTemplateApp(await engine.open(t));
    const templateId = await make();
    const stated = async (citizenId: string, more = {}) => {
      const body = { citizenId, message: undefined, templateId, personalisation: values, ...more };
      const id = await app.accept(body);
      const answer = await app.serve(readEvidence)({ params: { id } });
      assert.ok('json' in answer);
      const { content, contentDigest, contentSalt } = verifyEvidence(JSON.stringify(answer.json)).claims;
      const ofText = permitTemplate.texts.map(({ language, message, subject }) =>
        digestOfText({ language, message, subject }),
      );
      assert.equal(ofText.includes(String(contentDigest)), Object.hasOwn(more, 'language'));
      const shown = await app.show(id);
      if (Object.hasOwn(more, 'sendAt')) assert.ok('json' in (await app.cancel(id)));
      return { content, contentSalt, language: shown['language'] };
    };
    const sendAt = '2026-03-01T00:00:00Z';
    const withoutLanguage = { content: 'whole', contentSalt: undefined, language: null };
    assert.deepEqual(await stated('cit-ada', { sendAt }), withoutLanguage);
    assert.deepEqual(await stated('cit-nobody', { sendAt }), withoutLanguage);
    const named = await stated('cit-ada', { sendAt, language: 'nl' });
    assert.deepEqual(named, { ...withoutLanguage, language: 'nl' });
    assert.equal(typeof (await stated('cit-ada')).contentSalt, 'string');
  });

  test(`${engine.name}: the limit of templates per client holds when two are created at the same time`, async (t) => {
    const db = await engine.open(t);
    const { create, make, list } = await openTemplateApp(db);
    const id = await make();
    const { createId } = await createNotificationApp(db, { now: () => templateAppTimeMs }, {});
    const copy = `insert into template (id, client_id, name, default_language, languages, placeholders, texts, created_at)
      select $1, client_id, name, default_language, languages, placeholders, texts, created_at from template where id = $2`;
    const copies = Array.from({ length: maxTemplates - 2 }, () => ({ sql: copy, args: [createId('template'), id] }));
    await db.write(copies);
    const answers = await Promise.all([create({ body: permitTemplate }), create({ body: permitTemplate })]);
    const refused = answers.flatMap((answer) => ('refused' in answer ? [answer.refused.slug] : []));
    assert.deepEqual(refused, ['conflict']);
    const listed = await list({});
    assert.ok('json' in listed);
    assert.equal((listed.json['items'] as unknown[]).length, maxTemplates);
  });
}
