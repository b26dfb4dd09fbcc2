import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/database-engines.ts';
import { openTemplateApp, permitTemplate, templateIssuesIn, values } from '../support/notification-app.ts';

const wrongTemplates: ReadonlyArray<[string, object, string[], RegExp]> = [
  [
    'a language lacks a placeholder',
    { texts: [permitTemplate.texts[0], { language: 'nl', message: 'Dag ((name)).' }] },
    ['/texts/1/message required'],
    /lacks \(\(number\)\), which the text in fr-BE has:/,
  ],
  ['no text in the default language', { defaultLanguage: 'de' }, ['/defaultLanguage not-allowed'], /fr-BE, nl-BE/],
  [
    'two texts in one language',
    { texts: [permitTemplate.texts[0], { ...permitTemplate.texts[0], language: 'FR-BE' }] },
    ['/texts/1/language repeated'],
    /second text in fr-BE: keep one/,
  ],
  [
    'a language that is none',
    { texts: [{ ...permitTemplate.texts[0], language: 'en-a' }], defaultLanguage: 'en-a' },
    ['/texts/0/language malformed', '/defaultLanguage not-allowed'],
    /BCP 47/,
  ],
  [
    'a subject of two lines',
    { texts: [{ ...permitTemplate.texts[0], subject: 'a\n((name)) ((number))' }] },
    ['/texts/0/subject malformed'],
    /one line/,
  ],
  [
    'faults of form beside others',
    { defaultLanguage: 'de', colour: 1 },
    ['/colour unknown-input', '/defaultLanguage not-allowed'],
    /./,
  ],
];

const wrongSends: ReadonlyArray<[string, object, string[], RegExp]> = [
  [
    'a text beside the template',
    { message: 'x', subject: 'y' },
    ['/message not-allowed', '/subject not-allowed'],
    /the template has the text/,
  ],
  ['a language that the template has not', { language: 'de' }, ['/language not-allowed'], /\(fr-BE, nl-BE\)/],
  [
    'no values',
    { personalisation: undefined },
    ['/personalisation/name required', '/personalisation/number required'],
    /is required/,
  ],
  [
    'a value that is in no text',
    { personalisation: { ...values, colour: 'red' } },
    ['/personalisation/colour unknown-input'],
    /no such placeholder/,
  ],
  [
    'two lines for the subject of one language, sent in another',
    { language: 'nl', personalisation: { ...values, number: '1\n2' } },
    ['/personalisation/number malformed'],
    /one line/,
  ],
  [
    'a subject that is too long once filled, in one language',
    { personalisation: { ...values, number: 'x'.repeat(200) } },
    ['/personalisation too-long'],
    /^the text in fr-BE has 207 characters/,
  ],
  [
    'an unknown template',
    { templateId: 'tpl_01M7WKVMFEE008WANFAS9XRDZX' },
    ['/templateId not-found'],
    /GET \/v1\/templates/,
  ],
  [
    'an unknown template together with an unknown member',
    { templateId: 'x', colour: 1 },
    ['/colour unknown-input', '/templateId not-found'],
    /./,
  ],
  ['neither text nor template', { templateId: undefined }, ['/message required'], /templateId/],
];

for (const engine of engines.filter(({ name }) => name === 'sqlite')) {
  test('an invalid template is refused with pointers to its issues and their fixes', async (t) => {
    const { create, list } = await openTemplateApp(await engine.open(t));
    for (const [what, body, expected, detail] of wrongTemplates) {
      const answer = await create({ body: { ...permitTemplate, ...body } });
      assert.deepEqual(templateIssuesIn(answer)?.sort(), expected.sort(), what);
      assert.match(detailOf(answer), detail, what);
    }
    const listed = await list({});
    assert.ok('json' in listed);
    assert.deepEqual(listed.json, { items: [] });
  });

  test('a send with a template is refused when it is invalid in any language, for every citizen', async (t) => {
    const { app, make } = await openTemplateApp(await engine.open(t));
    const templateId = await make();
    for (const [what, body, expected, detail] of wrongSends) {
      for (const citizenId of ['cit-ada', 'cit-eve', 'cit-nobody']) {
        const answer = await app.send({ citizenId, templateId, personalisation: values, ...body });
        assert.deepEqual(templateIssuesIn(answer)?.sort(), expected.sort(), what);
        assert.match(detailOf(answer), detail, what);
      }
    }
    assert.deepEqual(await app.events(), ['template.changed']);
  });
}

function detailOf(answer: object): string {
  const { issues = [] } = (answer as { refused: { issues?: { detail: string }[] } }).refused;
  return issues.map(({ detail }) => detail).join('\n');
}
