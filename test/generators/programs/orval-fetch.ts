import { authorization, citizenId, claims, message, report } from './expected.ts';
import { listDocuments, retrieveDocument, sendNotification, verifyIdentity } from './generated/api';

const options = { headers: { authorization } };
const verified = await verifyIdentity(claims, options);
const sent = await sendNotification(message, options);
const listed = await listDocuments({ citizenId }, options);
const id = listed.status === 200 ? (listed.data.items[0]?.id ?? '') : '';
const read = await retrieveDocument(id, options);
report({
  decision: verified.status === 200 ? verified.data.decision : undefined,
  status: sent.status === 202 ? sent.data.status : undefined,
  notificationId: sent.status === 202 ? sent.data.id : undefined,
  document: read.data instanceof Blob ? await read.data.text() : String(read.data),
});
