import { authorization, baseUrl, citizenId, claims, message, report } from './expected.ts';
import { defaults, listDocuments, retrieveDocument, sendNotification, verifyIdentity } from './generated/api';

defaults.baseUrl = baseUrl;
defaults.headers = { authorization };
const verified = await verifyIdentity(claims);
const sent = await sendNotification(message);
const listed = await listDocuments(citizenId);
const id = listed.status === 200 ? (listed.data.documents[0]?.id ?? '') : '';
const read = await retrieveDocument(id);
report({
  decision: verified.status === 200 ? verified.data.decision : undefined,
  status: sent.status === 202 ? sent.data.status : undefined,
  notificationId: sent.status === 202 ? sent.data.id : undefined,
  document: read.status === 200 ? await read.data.text() : '',
});
