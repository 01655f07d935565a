import type { components } from '../../contract/types.ts';
import { type Accepted, intentFor, type NewIntent, type Submission } from '../../intents/accept.ts';
import type { NewSubaccount } from '../../venues/network/adapter/types.ts';
import type { LinkProof } from './links/prove.ts';
import { provision } from './provision.ts';

const LINKED_ACCOUNT_SIZE = 10_000; // USD; the network requires a size for linked accounts too

/** Accepts a request to create a subaccount. It has no lane: creations do not wait for one another. */
export const provisionSubaccount = (
  context: Submission<NewIntent>,
  request: components['schemas']['RegisterNetvenueRequest'],
  proof: LinkProof | null,
): Promise<Accepted> => {
  const subaccount = newSubaccount(request);
  return context.accept(intentFor(context, provision, { subaccount, ...(proof && { link_proof: proof }) }));
};

function newSubaccount(request: components['schemas']['RegisterNetvenueRequest']): NewSubaccount {
  if (!request.ex_address)
    return { assetClass: String(request.asset_class), accountSize: Number(request.account_size) };
  return {
    exAddress: request.ex_address.toLowerCase(),
    accountSize: request.account_size ?? LINKED_ACCOUNT_SIZE,
    ...(request.payout_address && { payoutAddress: request.payout_address.toLowerCase() }),
  };
}
