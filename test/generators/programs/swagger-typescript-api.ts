import { authorization, baseUrl, citizenId, claims, message, report } from './expected.ts';
import { Api } from './generated/api';

const api = new Api({ baseUrl, baseApiParams: { headers: { authorization } } });
const verified = await api.identity.verifyIdentity(claims);
const sent = await api.notifications.sendNotification(message);
const listed = await api.documents.listDocuments({ citizenId });
const id = listed.data.items[0]?.id ?? '';
const read = await api.documents.retrieveDocument(id, { format: 'blob' });
report({
  decision: verified.data.decision,
  status: sent.data.status,
  notificationId: sent.data.id,
  document: await read.data.text(),
});
