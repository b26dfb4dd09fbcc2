import { ok, runtime } from '@oazapfts/runtime';
import { authorization, baseUrl, citizenId, claims, message, report } from './expected.ts';
import { defaults, listDocuments, retrieveDocument, sendNotification, verifyIdentity } from './generated/api';

defaults.baseUrl = baseUrl;
defaults.headers = { authorization };
const verified = await ok(verifyIdentity(claims));
const sent = await ok(sendNotification(message));
const { items: documents } = await ok(listDocuments({ citizenId }));
const id = documents[0]?.id ?? '';

// The errors of the operation are JSON, so that its generated function accepts only JSON.
const refused = await retrieveDocument(id);
if (refused.status !== 406) throw new Error(`expected 406, received ${refused.status}`);
const read = await runtime(defaults).fetchBlob<{ status: 200; data: Blob }>(`/documents/${id}`);
report({ decision: verified.decision, status: sent.status, notificationId: sent.id, document: await read.data.text() });
