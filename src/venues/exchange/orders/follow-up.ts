import type { NewIntent } from '../../../intents/accept.ts';
import type { Submittable } from '../../../intents/define.ts';
import { type IntentId, newIntentId, type OwnerId, type WalletAddress } from '../../../kernel/ids.ts';

const DEADLINE_S = 600; // long, because it must still happen after an outage of the exchange; no caller waits for it

/** The lane of all intents of a wallet. */
export const laneOf = (wallet: WalletAddress): string => `exvenue:${wallet}`;

/**
 * An intent that follows from the outcome of another one. It is submitted in the transaction that records the outcome.
 */
export const followUp = <Request extends { wallet: WalletAddress }>(
  cause: { id: IntentId; owner: OwnerId },
  { kind }: Submittable<Request>,
  request: NoInfer<Request>,
): NewIntent => ({
  id: newIntentId(),
  kind,
  owner: cause.owner,
  lane: laneOf(request.wallet),
  request: { ...request, because_of: cause.id },
  digest: '',
  deadline_s: DEADLINE_S,
});
