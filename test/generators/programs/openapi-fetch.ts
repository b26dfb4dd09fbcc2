import createClient from 'openapi-fetch';
import { authorization, baseUrl, citizenId, claims, message, report } from './expected.ts';
import type { paths } from './generated/api.ts';

const client = createClient<paths>({ baseUrl, headers: { authorization } });
const verified = await client.POST('/identity/verify', { body: claims });
const sent = await client.POST('/notifications/send', { body: message });
const listed = await client.GET('/documents', { params: { query: { citizenId } } });
const id = listed.data?.items[0]?.id ?? '';
const read = await client.GET('/documents/{id}', { params: { path: { id } }, parseAs: 'text' });
report({
  decision: verified.data?.decision,
  status: sent.data?.status,
  notificationId: sent.data?.id,
  document: read.data ?? '',
});
