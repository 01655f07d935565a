import { exchangeWeight, readWeights } from '../../../capacity/exchange.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { LedgerDeps } from './read-orders.ts';
import { readWallet } from './read-wallet.ts';
import { type DueWallet, planWatch, recordFunding, takeDueWallets } from './store.ts';

/** The dependencies of `watchWallets`. */
export type WatchDeps = LedgerDeps & { config: { EXVENUE_BUDGET_PER_MINUTE?: number | undefined } };

const WALLETS_AT_ONCE = 20;
/** How soon a wallet is read again, at the earliest: with orders or positions, and without. The weight may make it later. */
const PACE = { busyS: 5, idleS: 60 };
/** The part of the deployment's weight that these readings take. */
const WEIGHT_PART = 0.35;
/** Pause between two searches for due wallets if no more are due. It is short because an order of ours may just have been executed. */
const PAUSE_S = 2;

/**
 * Reads wallets that are due side by side, one reading for all that a wallet has: resting orders, exits that wait, positions,
 * executions. The next run follows as soon as the weight of this one allows, so readings never take more than their part of the budget.
 */
export async function watchWallets(deps: WatchDeps): Promise<void> {
  const due = await takeDueWallets(deps.db, WALLETS_AT_ONCE, PACE);
  const read = await Promise.allSettled(due.map((wallet) => readAll(deps, wallet)));
  const weight = read.reduce((sum, one) => sum + (one.status === 'fulfilled' ? one.value : 0), 0);
  const perSecond = (exchangeWeight(deps.config.EXVENUE_BUDGET_PER_MINUTE) / 60) * WEIGHT_PART;
  const pauseS = due.length < WALLETS_AT_ONCE ? PAUSE_S : 0;
  await planWatch(deps.db, Math.max(pauseS, weight / perSecond));
  for (const one of read) if (one.status === 'rejected') throw one.reason; // after all other wallets had their turn
}

/** Resolves to the weight. */
const readAll = async (deps: WatchDeps, wallet: DueWallet): Promise<number> =>
  (await readWallet(deps, wallet)) + (await readFunding(deps, wallet));

/** Read again each time: what reads did not show yet. */
const OVERLAP_MS = 600_000;
/** See venues/exchange.md#rate-limits. */
const ROWS_PER_WEIGHT = 20;

/** Reads the funding of a wallet if it is due, once for each hour. Resolves to the weight. */
async function readFunding({ db, exvenue }: LedgerDeps, { ex_wallet: wallet, funding_from_ms }: DueWallet) {
  if (funding_from_ms === null) return 0;
  const readAtMs = epochMs();
  const read = await exvenue.funding(wallet, funding_from_ms - OVERLAP_MS);
  if (read.kind !== 'found') return readWeights.usual;
  const { payments, toMs } = read.data;
  await recordFunding(db, wallet, payments, toMs ?? readAtMs);
  return readWeights.usual + Math.floor(payments.length / ROWS_PER_WEIGHT);
}
