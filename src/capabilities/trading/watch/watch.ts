import type { Db } from '../../../db/pool.ts';
import type { AtOnce } from '../../../kernel/at-once.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Hotkey, PropAccountId } from '../../../kernel/ids.ts';
import { absent, type ReadResult } from '../../../kernel/upstream-result.ts';
import { noteWork } from '../../../kernel/work.ts';
import type { Dashboard, OrderBook } from '../../../venues/network/adapter/types.ts';
import { noticeMissingExits, recordEndedOrders } from '../../../venues/network/orders/commands.ts';
import { listResting } from '../../../venues/network/orders/queries.ts';
import { openPositions } from '../../../venues/network/portfolio/read-model.ts';
import { moveAccount } from '../../accounts/prop/commands.ts';
import { findWatched, type Watched } from './queries.ts';
import { changesOf, nextReconcileMs } from './rules.ts';
import { planWatch, recordWatch } from './store.ts';

const PRICES_EVERY_MS = 5_000; // the minimum interval between events for changes of prices alone

/** The dependencies of `watchAccount`. */
export type WatchDeps = {
  db: Db;
  config: { TRADING_WATCH_MS: number };
  watching: AtOnce;
  reads: {
    dashboard(trader: Hotkey): Promise<ReadResult<Dashboard>>;
    dashboardNow(trader: Hotkey): Promise<ReadResult<Dashboard>>;
    networkOrders(trader: Hotkey): Promise<ReadResult<OrderBook>>;
  };
};

/**
 * Reads one account, records an event for each change, and plans the next reading. While the network is silent or slow, most wait for their
 * next turn instead: the jobs of deliveries and mails are of the same runner.
 */
export async function watchAccount(account: PropAccountId, deps: WatchDeps): Promise<void> {
  const { db, config, watching } = deps;
  const watched = await findWatched(db, account);
  if (!watched) return;
  noteWork({ tenant: watched.owner });
  const read = await watching.run(
    () => readAccount(account, watched, deps),
    (isRead) => isRead,
  );
  const later = { isListened: watched.is_listened, isOpen: false, rests: true };
  if (read === null) await planWatch(db, account, nextReconcileMs(config.TRADING_WATCH_MS, later));
}

/** Whether the network responded. */
async function readAccount(account: PropAccountId, watched: Watched, deps: WatchDeps): Promise<boolean> {
  const { db, config, reads } = deps;
  const { trader, version, positions: before, is_listened: isListened, notified_ago_ms } = watched;
  const rests = await noteResting(deps, trader);
  const dashboard = await reads.dashboardNow(trader);
  const positions = dashboard.kind === 'found' ? await positionsOf(dashboard.data, deps, watched) : null;
  if (dashboard.kind === 'found') {
    await moveAccount(db, account, dashboard.data);
    await noticeMissingExits(db, trader, dashboard.data);
  }
  const arePricesDue = (notified_ago_ms ?? PRICES_EVERY_MS) >= PRICES_EVERY_MS;
  const changes = positions ? changesOf(before, positions, arePricesDue) : [];
  const isChanged = changes.length > 0 || before === null;
  const isRecorded = await recordWatch(db, account, version, { positions: isChanged ? positions : null, changes });
  const isOpen = (positions ?? before ?? []).length > 0;
  const nextMs = nextReconcileMs(config.TRADING_WATCH_MS, { isListened, isOpen, rests });
  await planWatch(db, account, isRecorded ? nextMs : 0); // else another reading was recorded meanwhile, which may be the older one
  return dashboard.kind !== 'unreadable';
}

/** Records which resting orders the network shows to have ended. Whether any rested. */
async function noteResting({ db, reads }: WatchDeps, trader: Hotkey): Promise<boolean> {
  const resting = await listResting(db, trader);
  if (resting.length === 0) return false;
  const [dashboard, book] = await Promise.all([reads.dashboard(trader), reads.networkOrders(trader)]);
  await recordEndedOrders(db, resting, { dashboard, book });
  return true;
}

/**
 * Null if the dashboard does not prove which positions are open, or that exits which existed are gone; then no event is recorded. The book, which may
 * be long, is read only if there were exits.
 */
async function positionsOf(dashboard: Dashboard, { reads }: WatchDeps, { trader, positions: before }: Watched) {
  const book = () => reads.networkOrders(trader);
  const hadExits = before?.some(({ take_profit, stop_loss }) => take_profit !== null || stop_loss !== null);
  try {
    return await openPositions(dashboard, book, hadExits ? book : async () => absent);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
