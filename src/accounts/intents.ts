import type { NewSubaccount } from '../adapters/netvenue/types.ts';
import type { components } from '../contract/types.ts';
import type { Accept, Accepted, Offer } from '../intents/accept.ts';
import { newIntentId } from '../kernel/ids.ts';

const LINKED_ACCOUNT_SIZE = 10_000; // USD; the network wants a size for linked accounts too

/** Accepts the making of a subaccount. It has no lane: subaccounts do not wait for one another. */
export const provisionSubaccount = (
  who: { accept: Accept<Offer>; asking: { owner: string; digest: string; request_id: string }; deadlineMs: number },
  request: components['schemas']['RegisterNetvenueRequest'],
): Promise<Accepted> =>
  who.accept({
    ...who.asking,
    id: newIntentId(),
    kind: 'accounts/provision',
    asked: { subaccount: newSubaccount(request) },
    deadline_s: who.deadlineMs / 1000,
  });

function newSubaccount(request: components['schemas']['RegisterNetvenueRequest']): NewSubaccount {
  if (!request.ex_address)
    return { assetClass: String(request.asset_class), accountSize: Number(request.account_size) };
  return {
    exAddress: request.ex_address.toLowerCase(),
    accountSize: request.account_size ?? LINKED_ACCOUNT_SIZE,
    ...(request.payout_address && { payoutAddress: request.payout_address.toLowerCase() }),
  };
}
