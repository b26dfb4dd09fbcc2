import { ok } from '@oazapfts/runtime';
import { authorization, baseUrl, citizenId, claims, message, report } from './expected.ts';
import { defaults, listDocuments, retrieveDocument, sendNotification, verifyIdentity } from './generated/api';

defaults.baseUrl = baseUrl;
defaults.headers = { authorization };
const verified = await ok(verifyIdentity(claims));
const sent = await ok(sendNotification(message));
const { documents } = await ok(listDocuments(citizenId));
const read = await ok(retrieveDocument(documents[0]?.id ?? ''));
report({
  decision: verified.decision,
  status: sent.status,
  notificationId: sent.id,
  // Its type is Blob, but the client returns the text of a text document.
  document: await new Response(read).text(),
});
