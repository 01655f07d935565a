import type { Prepared } from '../../../intents/define.ts';
import type { IntentId, OwnerId, WalletAddress } from '../../../kernel/ids.ts';
import type { WantedEntry } from '../../exits.ts';
import { listWantedExits } from '../../queries.ts';
import type { ExchangeDeps } from './calls.ts';
import { laneOf } from './follow-up.ts';
import { findLaterCommands } from './plans/queries.ts';
import { type ExitPrices, legsOf } from './rules.ts';
import { isAlone } from './wanted.ts';

type Request = ExitPrices & {
  wallet: WalletAddress;
  pair: string;
  because_of?: string | undefined;
  repairs?: Pick<WantedEntry, 'order_uuid' | 'version'> | undefined;
};

/**
 * The remaining part of a request. Exits that are placed again for an order yield to every later command about them;
 * while one is in doubt, they wait. Those that are put back yield to every command since they were missing, and to the exits of
 * another order: they are for the whole position. A caller's request is unchanged.
 */
export async function stillWanted(
  { db }: ExchangeDeps,
  { id, owner, request }: { id: IntentId; owner: OwnerId; request: Request },
): Promise<Request | Exclude<Prepared<never>, { send: never }>> {
  const { wallet, pair, because_of: orderId, repairs, ...prices } = request;
  if (repairs && !(await isWanted(db, wallet, pair, repairs))) return { done: { pair, ...NONE, ...SUPERSEDED } };
  if (orderId === undefined) return { wallet, pair, ...prices };
  const later = await findLaterCommands(db, { owner, wallet, pair, orderId, lane: laneOf(wallet), self: id });
  if (later.undecided) return { wait: { code: 'VENUE_UNREACHABLE' } };
  const left = {
    take_profit: later.legs.includes('tp') ? null : prices.take_profit,
    stop_loss: later.legs.includes('sl') ? null : prices.stop_loss,
  };
  return legsOf(left).length > 0 ? { wallet, pair, ...left } : { done: { pair, ...left, ...SUPERSEDED } };
}

/** Whether all that a request asked for is still wanted. */
export async function isWholeWanted(
  deps: ExchangeDeps,
  intent: { id: IntentId; owner: OwnerId; request: Request },
): Promise<boolean> {
  const left = await stillWanted(deps, intent);
  return 'wallet' in left && legsOf(left).length === legsOf(intent.request).length;
}

const NONE = { take_profit: null, stop_loss: null } as const;

const isWanted = async (
  db: ExchangeDeps['db'],
  wallet: WalletAddress,
  pair: string,
  repairs: NonNullable<Request['repairs']>,
): Promise<boolean> =>
  (await listWantedExits(db, 'exvenue', wallet)).some((row) => row.pair === pair && isAlone(repairs, row.wanted));

const SUPERSEDED = {
  tp_order_id: null,
  sl_order_id: null,
  trigger_status: 'not_requested',
  trigger_error: 'A later command decided about these exits.',
} as const;
