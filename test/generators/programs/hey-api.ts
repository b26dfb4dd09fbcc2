import { baseUrl, citizenId, claims, message, report, token } from './expected.ts';
import { listDocuments, retrieveDocument, sendNotification, verifyIdentity } from './generated';
import { client } from './generated/client.gen';

client.setConfig({ baseUrl, auth: token });
const verified = await verifyIdentity({ body: claims });
const sent = await sendNotification({ body: message });
const listed = await listDocuments({ query: { citizenId } });
const id = listed.data?.items[0]?.id ?? '';
const read = await retrieveDocument({ path: { id } });
report({
  decision: verified.data?.decision,
  status: sent.data?.status,
  notificationId: sent.data?.id,
  document: read.data instanceof Blob ? await read.data.text() : String(read.data),
});
