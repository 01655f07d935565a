import { recordSync } from '../../src/accounts/prop/outcomes.ts';
import { findAnyPropAccount } from '../../src/accounts/prop/queries.ts';
import { verdictOf } from '../../src/accounts/prop/rules.ts';
import type { Dashboard } from '../../src/adapters/netvenue/types.ts';
import type { Task } from '../../src/intents/task.ts';
import { Refusal } from '../../src/kernel/refusals.ts';
import { ended } from '../../src/orders/lookups.ts';
import { noteLifecycle } from '../../src/orders/outcomes.ts';
import { listResting } from '../../src/orders/queries.ts';
import { openPositions } from '../../src/portfolio/network/queries.ts';
import type { WorkerRuntime } from '../../src/runtime.ts';
import { planWatch, recordWatch } from '../../src/trading/watch/outcomes.ts';
import { findWatched } from '../../src/trading/watch/queries.ts';
import { changesOf, nextLookMs } from '../../src/trading/watch/rules.ts';

const PRICES_EVERY_MS = 5_000; // prices that move alone make events no oftener

/** Looks at one account that someone follows or whose orders rest, tells what has changed, and plans the next look. */
const watch: Task<{ prop_account_id: string }> = async ({ prop_account_id: account }, runtime) => {
  const { db, config, reads } = runtime;
  const watched = await findWatched(db, account);
  if (!watched) return;
  const { trader, version, positions: told, is_listened: isListened, told_ago_ms } = watched;
  const resting = await listResting(db, trader);
  if (resting.length > 0) await noteEnded(runtime, trader, resting);
  const looked = await reads.dashboardNow(trader);
  const positions = looked.kind === 'found' ? await shownIn(looked.said, runtime, trader) : null;
  if (looked.kind === 'found') await moveAccount(runtime, account, looked.said);
  const changes = positions ? changesOf(told, positions, (told_ago_ms ?? PRICES_EVERY_MS) >= PRICES_EVERY_MS) : [];
  const isNews = changes.length > 0 || told === null;
  await recordWatch(db, account, version, { positions: isNews ? positions : null, changes });
  const isOpen = (positions ?? told ?? []).length > 0;
  await planWatch(db, account, nextLookMs(config.TRADING_WATCH_MS, { isListened, isOpen, rests: resting.length > 0 }));
};

export default watch;

/** Null where the dashboard does not prove what is open: then nothing is told. */
async function shownIn(dashboard: Dashboard, { reads }: WorkerRuntime, trader: string) {
  try {
    return await openPositions(dashboard, () => reads.networkOrders(trader));
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

async function noteEnded(
  { db, reads }: WorkerRuntime,
  trader: string,
  resting: readonly { id: string; handle: string }[],
) {
  const book = await reads.networkOrders(trader);
  for (const { id, handle } of resting) {
    const end = ended(book, handle);
    if (end) await noteLifecycle(db, id, end.lifecycle, end.executed);
  }
}

async function moveAccount({ db }: WorkerRuntime, id: string, shown: Dashboard): Promise<void> {
  const account = await findAnyPropAccount(db, id);
  if (account && verdictOf(account.status, shown).status !== account.status) await recordSync(db, account, shown);
}
