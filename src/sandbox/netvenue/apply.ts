import { statusOf } from './accounts.ts';
import { addBracket } from './brackets.ts';
import { cancelOrders, editOrder, flatten } from './commands.ts';
import { isOpenTo, type Pair } from './pairs.ts';
import { settleResting } from './prices.ts';
import type { Asked } from './signal.ts';
import { placeMarket, placeResting } from './trading.ts';
import { type Account, refused, type Verdict, type World } from './world.ts';

/** Commands that name an existing order or position, so the same uuid comes again. */
export const namesAnother = ({ execution }: Asked): boolean =>
  execution === 'LIMIT_CANCEL' || execution === 'LIMIT_EDIT' || execution === 'FLAT_ALL';

/** The validator's side of a signal: who may trade, one claim per uuid, then the command itself. */
export const applySignal = (world: World, asked: Asked): Verdict => {
  const account = world.accounts.get(asked.accountId);
  if (!account) return refused(`Subaccount ${asked.accountId} not found`);
  const status = statusOf(account);
  if (status === 'eliminated') return refused('Subaccount is eliminated');
  if (status !== 'active' && status !== 'admin')
    return refused(`Subaccount ${account.hotkey} is ${status}, not active`);
  if (namesAnother(asked)) return command(world, account, asked);
  if (world.claimed.has(asked.uuid)) return refused(`Order ${asked.uuid} was already processed`);
  const verdict = order(world, account, asked);
  if (verdict.order || !verdict.error) world.claimed.add(asked.uuid);
  return verdict;
};

const command = (world: World, account: Account, asked: Asked): Verdict => {
  if (asked.execution === 'LIMIT_CANCEL') return cancelOrders(world, account, asked);
  if (asked.execution === 'FLAT_ALL') return flatten(world, account, asked);
  const verdict = editOrder(world, account, asked);
  if (asked.pair) settleResting(world, asked.pair);
  return verdict;
};

const order = (world: World, account: Account, asked: Asked): Verdict => {
  const pair = world.pairs.get(asked.pair ?? '');
  if (!pair || pair.state === 'disabled' || !isOpenTo(pair, account.assetClass)) {
    return refused(`Trade pair ${asked.pair} is not allowed for this subaccount`);
  }
  const verdict = place(world, account, pair, asked);
  // Where the price is right already, a resting order fills at once.
  settleResting(world, pair.id);
  return verdict;
};

const place = (world: World, account: Account, pair: Pair, asked: Asked): Verdict => {
  if (asked.execution === 'MARKET') return placeMarket(world, account, pair, asked);
  if (asked.execution === 'BRACKET') return addBracket(world, account, pair.id, asked);
  return placeResting(world, account, pair, asked);
};
