import { moveAccount, statusOf } from './accounts.ts';
import { addBracket } from './brackets.ts';
import { cancelOrders, editOrder, flatten } from './commands.ts';
import { magicOfSize } from './magic.ts';
import { isOpenTo, type Pair } from './pairs.ts';
import { lastWeek } from './payouts.ts';
import { settleResting } from './prices.ts';
import type { Requested } from './signal.ts';
import { textsOf } from './texts.ts';
import { placeMarket, placeResting } from './trading.ts';
import { type Account, equityOf, rejected, type Verdict, type World } from './world.ts';

/** Whether a command refers to an existing order or position, so that its uuid is not new. */
export const namesAnother = ({ execution }: Requested): boolean =>
  execution === 'LIMIT_CANCEL' || execution === 'LIMIT_EDIT' || execution === 'FLAT_ALL';

/** The validator's part of a signal: checks the account, claims the uuid once, then executes the command. */
export const applySignal = (world: World, requested: Requested): Verdict => {
  const account = world.accounts.get(requested.accountId);
  if (!account) return rejected(`Subaccount ${requested.accountId} not found`);
  const status = statusOf(account);
  const texts = textsOf(world.style);
  if (status === 'eliminated') return rejected(texts.eliminated(account.hotkey));
  if (status !== 'active' && status !== 'admin') return rejected(texts.inactive(account.hotkey, status));
  if (namesAnother(requested)) return command(world, account, requested);
  if (world.claimed.has(requested.uuid)) return rejected(texts.processed(requested.uuid));
  const verdict = order(world, account, requested);
  if (verdict.order || !verdict.error) {
    world.claimed.add(requested.uuid);
    followFirstOrder(world, account);
  }
  return verdict;
};

const EARNED_USD = 500;
const DRAWDOWN = 0.06; // of a day; 0.05 is allowed

/** A magic account is funded or eliminated by its first order. */
const followFirstOrder = (world: World, account: Account): void => {
  if (account.bucket !== 'SUBACCOUNT_CHALLENGE') return;
  const does = magicOfSize(account.size);
  if (does === 'fund')
    moveAccount(world, account, {
      bucket: 'SUBACCOUNT_FUNDED',
      settlements: [{ ...lastWeek(Date.now()), payout: EARNED_USD }],
    });
  if (does === 'breach') {
    const closes = { ...account.closes, dayOpen: equityOf(account) / (1 - DRAWDOWN) };
    moveAccount(world, account, { elimination: 'MAX_TOTAL_DRAWDOWN', closes });
  }
};

const command = (world: World, account: Account, requested: Requested): Verdict => {
  if (requested.execution === 'LIMIT_CANCEL') return cancelOrders(world, account, requested);
  if (requested.execution === 'FLAT_ALL') return flatten(world, account, requested);
  const verdict = editOrder(world, account, requested);
  const failed = requested.pair ? settleResting(world, requested.pair, requested.uuid).get(requested.uuid) : undefined;
  return failed === undefined || world.style === '2025' ? verdict : rejected(failed);
};

const order = (world: World, account: Account, requested: Requested): Verdict => {
  const pair = world.pairs.get(requested.pair ?? '');
  if (!pair || pair.state === 'disabled' || !isOpenTo(pair, account.assetClass)) {
    return rejected(textsOf(world.style).pairUnknown(requested.pair ?? '', account.assetClass, pair?.state ?? null));
  }
  const verdict = place(world, account, pair, requested);
  // A resting order whose price is already reached fills at once, or fails in it.
  const failed = settleResting(world, pair.id, requested.uuid).get(requested.uuid);
  return failed === undefined || world.style === '2025' ? verdict : rejected(failed);
};

const place = (world: World, account: Account, pair: Pair, requested: Requested): Verdict => {
  if (requested.execution === 'MARKET') return placeMarket(world, account, pair, requested);
  if (requested.execution === 'BRACKET') return addBracket(world, account, pair.id, requested);
  return placeResting(world, account, pair, requested);
};
