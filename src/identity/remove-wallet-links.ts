import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import { walletLinksSchema } from './read-own-record.ts';
import type { IdentityPorts } from './verification/ports.ts';
import { deleteWalletLinks } from './verification/wallet-link-store.ts';
import { noStoreHeaders } from './verify-identity.ts';

const request = {};

/** `DELETE /v1/wallet-links`: citizens remove the links between their record and the numbers in their wallets. */
export const removeWalletLinks = defineOperation({
  name: 'removeWalletLinks',
  since: '1.0',
  method: 'DELETE',
  path: '/v1/wallet-links',
  scope: 'citizen:self',
  callers: ['citizens'],
  summary: 'Remove the links to my wallets',
  description:
    'Removes the links that presentations of a wallet have kept with the consent of the citizen whom the token names. The next presentation is compared with the register only. The register record contains the present links.',
  request,
  responses: {
    200: {
      description: 'The links that are left: none.',
      schema: Type.Object({ walletLinks: walletLinksSchema }),
    },
  },
  refusals: ['citizen-token-needed'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, IdentityPorts>) => {
    const { citizenId } = call.caller;
    if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
    const head = { id: call.createId('event'), at: call.now, actor: { citizen: true }, citizenId } as const;
    return {
      effect: {
        events: [{ type: 'wallet-link.removed', ...head }],
        statements: [deleteWalletLinks(citizenId)],
      },
      answer: { status: 200, headers: noStoreHeaders, json: { walletLinks: [] } },
    };
  },
});
