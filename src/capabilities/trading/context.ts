import type { Accept } from '../../intents/accept.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Hotkey, PropAccountId, UserId } from '../../kernel/ids.ts';
import type { NewNetworkOrder, RequestContext } from '../../venues/network/orders/intents.ts';

/**
 * A new intent for a prop account, in the shape that `accept_trading_orders` takes. Without `user_id`, the user is not
 * checked.
 */
export type NewTradingOrder = NewNetworkOrder & { prop_account_id: PropAccountId; user_id?: UserId };

type Account = { id: PropAccountId; subaccount_id: number; entityHotkey: Hotkey };

/**
 * The request context for network orders of a prop account. The submission checks the account in its own transaction.
 */
export const contextFor = (
  account: Account,
  userId: UserId | undefined,
  {
    accept,
    context,
    deadlineMs,
  }: { accept: Accept<NewTradingOrder>; context: RequestContext['context']; deadlineMs: RequestContext['deadlineMs'] },
): RequestContext => ({
  context,
  deadlineMs,
  subaccountId: account.subaccount_id,
  entityHotkey: account.entityHotkey,
  accept: (newIntent, reject) =>
    accept(
      {
        ...newIntent,
        request: { ...newIntent.request, prop_account_id: account.id },
        prop_account_id: account.id,
        ...(userId !== undefined && { user_id: userId }),
      },
      (verdict) => errorOfAccount(verdict) ?? reject?.(verdict),
    ),
});

function errorOfAccount(verdict: string): ApiError | undefined {
  if (verdict === 'account_unknown') return new ApiError('V2_PROP_ACCOUNT_UNKNOWN');
  if (verdict === 'subaccount_missing') return new ApiError('V2_SUBACCOUNT_NOT_READY');
  if (verdict === 'not_tradeable') return new ApiError('V2_ACCOUNT_NOT_TRADEABLE');
  return undefined;
}
