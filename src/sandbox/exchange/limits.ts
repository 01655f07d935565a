import { isPositive } from '../../kernel/decimals.ts';
import type { ActionRequest } from './request.ts';
import type { Account, World } from './world.ts';

/** See venues/exchange.md#batches. */
const WEIGHT_LIMIT = 200;
/** See venues/exchange.md#rate-limits. Once the budget is used up, one action every 10 s. */
const GRACE_MS = 10_000;

/** The rejection text for too many items, a post-only period or an exhausted action budget. Null if none applies. */
export const rejectionOfLimits = (world: World, account: Account, action: ActionRequest): string | null => {
  if (world.postOnly && mayTake(action)) return 'Only post-only orders allowed immediately after a network upgrade';
  if (action.items > WEIGHT_LIMIT) return `Signed action over weight limit of ${WEIGHT_LIMIT}.`;
  const { actions } = account;
  const cap = capOf(world, account);
  const most = action.type === 'cancel' ? Math.min(cap + 100_000, 2 * cap) : cap;
  if (actions.used + action.items <= most) return spend(account, action.items);
  if (Date.now() - actions.graceMs >= GRACE_MS) {
    actions.graceMs = Date.now();
    return spend(account, action.items);
  }
  const volume = actions.volume;
  return `Too many cumulative requests sent (${actions.used + action.items} > ${most}) for cumulative volume traded $${volume}. Place taker orders to free up 1 request per USDC traded.`;
};

/** The number of actions an account may send in its lifetime: an initial budget plus one per USD traded. */
export const capOf = (world: World, { actions }: Account): number =>
  world.actionBudget + (isPositive(actions.volume) ? Math.floor(Number(actions.volume)) : 0);

const mayTake = (action: ActionRequest) => action.type === 'order' && action.orders.some(({ tif }) => tif !== 'Alo');

const spend = (account: Account, items: number): null => {
  account.actions.used += items;
  return null;
};
