import { isPositive } from '../../kernel/decimals.ts';
import type { ActionAsked } from './request.ts';
import type { Account, World } from './world.ts';

/** Venue facts: 201 items are refused as a whole. */
const WEIGHT_LIMIT = 200;
/** Venue facts: rate limits; with the budget used up, one action every ten seconds. */
const GRACE_MS = 10_000;

/** Refuses an action of too many items, in the wrong moment, or beyond the account's budget; a text is a refusal. */
export const refusalOfLimits = (world: World, account: Account, action: ActionAsked): string | null => {
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

/** How many actions an account may make in its life: so many to start with, and one for every USD traded. */
export const capOf = (world: World, { actions }: Account): number =>
  world.actionBudget + (isPositive(actions.volume) ? Math.floor(Number(actions.volume)) : 0);

const mayTake = (action: ActionAsked) => action.type === 'order' && action.orders.some(({ tif }) => tif !== 'Alo');

const spend = (account: Account, items: number): null => {
  account.actions.used += items;
  return null;
};
