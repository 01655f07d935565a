import type { Accept } from '../intents/accept.ts';
import { Refusal } from '../kernel/refusals.ts';
import type { Asking, NetworkOffer } from '../orders/intents.ts';

/** An order verb of a prop account, as `accept_trading_orders` takes it. Without a user any account of the owner will do. */
export type TradingOffer = NetworkOffer & { prop_account_id: string; user_id?: string };

type Account = { id: string; subaccount_id: number; entityHotkey: string };

/** Who asks, as the network's order verbs want it: acceptance judges the prop account in its own transaction. */
export const askingFor = (
  account: Account,
  userId: string | undefined,
  {
    accept,
    asking,
    deadlineMs,
  }: { accept: Accept<TradingOffer>; asking: Asking['asking']; deadlineMs: Asking['deadlineMs'] },
): Asking => ({
  asking,
  deadlineMs,
  subaccountId: account.subaccount_id,
  entityHotkey: account.entityHotkey,
  accept: (offer, refuse) =>
    accept(
      {
        ...offer,
        asked: { ...offer.asked, prop_account_id: account.id },
        prop_account_id: account.id,
        ...(userId !== undefined && { user_id: userId }),
      },
      (verdict) => refusalOfGate(verdict) ?? refuse?.(verdict),
    ),
});

function refusalOfGate(verdict: string): Refusal | undefined {
  if (verdict === 'account_unknown') return new Refusal('V2_PROP_ACCOUNT_UNKNOWN');
  if (verdict === 'subaccount_missing') return new Refusal('V2_SUBACCOUNT_NOT_READY');
  if (verdict === 'not_tradeable') return new Refusal('V2_ACCOUNT_NOT_TRADEABLE');
  return undefined;
}
