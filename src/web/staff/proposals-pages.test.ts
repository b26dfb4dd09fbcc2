import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListedOperation } from '../../api/operation.ts';
import { localeFor } from '../../locales/locale.ts';
import { citizenTextsOf } from '../citizen-texts.ts';
import { decisionsSection } from './attention-section.ts';
import { proposalsPages } from './proposals-pages.ts';
import { waitingProposalPath } from './read-proposals.ts';
import type { StaffVisit } from './staff-page.ts';

const locale = localeFor('en');
/** The numbers of the proposals that wait, and of those that have ended. The newest has the highest number. */
const stored = { proposed: [7, 6, 5, 4, 3, 2, 1], ended: [9, 8] };
const pageSize = 3;

const proposalOf = (number: number, status: string) => ({
  id: `prp_${number}`,
  operation: 'eraseCitizen',
  input: { citizenId: `citizen-${number}` },
  reason: `Reason ${number}.`,
  status: status === 'proposed' ? status : 'expired',
  proposedAt: `2026-11-0${number}T10:00:00.000Z`,
  expiresAt: '2026-12-01T10:00:00.000Z',
  proposedBy: number === 1 ? { subject: 'alex', name: 'Alex' } : { subject: 'olu', name: 'Olu' },
  service: null,
  before: {},
});

/** The visit of a person with these stored proposals, which the operation lists in pages of three. */
function visitOf(url: string): StaffVisit {
  const call = async (_operation: ListedOperation, _token: string, { query }: { query: Record<string, string> }) => {
    const status = query['status'] === 'ended' ? 'ended' : 'proposed';
    const older = stored[status].filter((number) => `prp_${number}` < (query['cursor'] ?? 'prp_~'));
    const items = older.slice(0, pageSize).map((number) => proposalOf(number, status));
    return { status: 200, json: { items, next: older.length > pageSize ? items.at(-1)?.id : null } };
  };
  // The pages use only these members of a visit.
  return {
    texts: locale.staffPages,
    layout: { words: citizenTextsOf(locale), site: undefined, person: { name: 'Alex' } },
    member: { subject: 'alex', scopes: ['staff:approve'] },
    token: 'token',
    request: { url },
    call,
  } as unknown as StaffVisit;
}

async function shownOn(url: string) {
  const answer = await proposalsPages[0]?.show(visitOf(url));
  assert.ok(answer !== undefined && 'body' in answer);
  const text = String(answer.body);
  const linked = (pattern: RegExp) => Array.from(text.matchAll(pattern), ([, found]) => found);
  return {
    numbers: linked(/href="\/staff\/proposals\/prp_(\d)"/g).map(Number),
    older: linked(/href="\/staff\/proposals\?(\w+=\w+)"/g),
  };
}

test('the page of proposals links to older ones of each list, until the last one', async () => {
  assert.deepEqual(await shownOn('/staff/proposals'), { numbers: [7, 6, 5, 9, 8], older: ['waiting=prp_5'] });
  const second = await shownOn('/staff/proposals?waiting=prp_5');
  assert.deepEqual(second, { numbers: [4, 3, 2], older: ['waiting=prp_2'] });
  assert.deepEqual(await shownOn('/staff/proposals?waiting=prp_2'), { numbers: [1], older: [] });
  assert.deepEqual(await shownOn('/staff/proposals?ended=prp_9'), { numbers: [8], older: [] });
});

test('the first page counts the waiting proposals of all pages, without those of the person', async () => {
  assert.match(String(await decisionsSection(visitOf('/staff'))), /6 proposals wait for a decision/);
});

test('a person who sends a form twice gets the waiting proposal, also if it is on the last page', async () => {
  const proposalFor = (citizenId: string) =>
    waitingProposalPath(visitOf('/staff'), { operation: 'eraseCitizen', input: { citizenId } });
  assert.equal(await proposalFor('citizen-1'), '/staff/proposals/prp_1?done=proposed');
  // Another person made this one.
  assert.equal(await proposalFor('citizen-2'), undefined);
});
