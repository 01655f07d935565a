import { readWeights } from '../../../capacity/exchange.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { LedgerDeps } from './read-orders.ts';
import { type DueWallet, recordFunding } from './store.ts';

/** Read again each time: what reads did not show yet. */
const OVERLAP_MS = 600_000;
/** See venues/exchange.md#rate-limits. */
const ROWS_PER_WEIGHT = 20;

/** Reads the funding of a wallet if it is due, once for each hour. Resolves to the weight. */
export async function readFunding({ db, exvenue }: LedgerDeps, { ex_wallet: wallet, funding_from_ms }: DueWallet) {
  if (funding_from_ms === null) return 0;
  const readAtMs = epochMs();
  const read = await exvenue.funding(wallet, funding_from_ms - OVERLAP_MS);
  if (read.kind !== 'found') return readWeights.usual;
  const { payments, toMs } = read.data;
  await recordFunding(db, wallet, payments, toMs ?? readAtMs);
  return readWeights.usual + Math.floor(payments.length / ROWS_PER_WEIGHT);
}
