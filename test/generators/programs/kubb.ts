import { authorization, baseUrl, citizenId, claims, message, report } from './expected.ts';
import { listDocuments, retrieveDocument, sendNotification, verifyIdentity } from './generated';

const options = { baseURL: baseUrl, headers: { authorization } };
const verified = await verifyIdentity(claims, undefined, options);
const sent = await sendNotification(message, undefined, options);
const listed = await listDocuments({ citizenId }, undefined, options);
const id = listed.documents[0]?.id ?? '';
const read = await retrieveDocument(id, undefined, { ...options, responseType: 'text' });
report({
  decision: verified.decision,
  status: sent.status,
  notificationId: sent.id,
  document: String(read),
});
