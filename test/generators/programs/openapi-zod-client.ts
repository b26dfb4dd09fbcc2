import { authorization, baseUrl, citizenId, claims, message, report } from './expected.ts';
import { createApiClient } from './generated/api';

const api = createApiClient(baseUrl, { axiosConfig: { headers: { authorization } } });
const verified = await api.verifyIdentity(claims);
const sent = await api.sendNotification(message);
const listed = await api.listDocuments({ queries: { citizenId } });
const id = listed.items[0]?.id ?? '';
const read = await api.retrieveDocument({ params: { id }, responseType: 'text' });
report({ decision: verified.decision, status: sent.status, notificationId: sent.id, document: String(read) });
