import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staffScopes } from '../../auth/caller.ts';
import { localeFor } from '../../locales/locale.ts';
import { citizenTextsOf } from '../citizen-texts.ts';
import { html } from '../html.ts';
import { renderStaffPage } from './staff-page.ts';

test('the menu has the pages of caseworkers first, then those of operators, approvers and auditors', () => {
  const locale = localeFor('en');
  const layout = { words: citizenTextsOf(locale), site: undefined, person: { name: 'Olu' } };
  const member = { subject: 'olu', name: 'Olu', service: 'tax', scopes: staffScopes };
  const { body } = renderStaffPage({ layout, texts: locale.staffPages, member }, { title: 'Start', content: html`` });
  assert.deepEqual(
    Array.from(String(body).matchAll(/<li><a href="\/staff\/?(\w*)"/g), ([, page]) => page),
    ['', 'person', 'send', 'read', 'batches', 'templates', 'clients', 'service', 'queues', 'proposals', 'audit'],
  );
});
