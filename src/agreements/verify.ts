import type { Db } from '../db/pool.ts';
import { listChains, readChain } from './queries.ts';
import { endOf, type Fault, follow, hashOf, type Signed, startOf } from './rules.ts';

const ROWS_AT_ONCE = 1_000;

/** The result of a check of every chain. */
export type Verified = { chains: number; rows: number; faults: Fault[] };

/**
 * Checks every chain and reports each row that was changed, deleted or inserted. It does not rely on the table's
 * triggers. Receipts stored by partners also reveal a chain that was rewritten from some row on.
 */
export async function verifyAgreements(db: Db, receipts: Signed[] = []): Promise<Verified> {
  const faults: Fault[] = [];
  const hashes = new Map<string, string>();
  const chains = await listChains(db);
  const wanted = new Set(receipts.map(({ id }) => id));
  let rows = 0;
  for (const { app, ...recorded } of chains) {
    let walk = startOf(app);
    for await (const row of rowsOf(db, app)) {
      rows += 1;
      const step = follow(walk, row);
      walk = step.walk;
      faults.push(...step.faults);
      if (wanted.has(row.id)) hashes.set(row.id, row.row_hash);
    }
    faults.push(...endOf(walk, recorded));
  }
  return {
    chains: chains.length,
    rows,
    faults: [...faults, ...receipts.flatMap((receipt) => contradicted(receipt, hashes))],
  };
}

async function* rowsOf(db: Db, app: string): AsyncGenerator<Signed> {
  for (let place = Number.MIN_SAFE_INTEGER, rows: readonly Signed[] = []; ; place = rows.at(-1)?.place ?? place) {
    rows = await readChain(db, app, place, ROWS_AT_ONCE);
    yield* rows;
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

function contradicted(receipt: Signed, hashes: Map<string, string>): Fault[] {
  const { app_id: app, place, id } = receipt;
  if (hashOf(receipt) !== receipt.row_hash) return [{ app, place, id, what: 'the receipt itself was changed' }];
  if (hashes.get(id) === receipt.row_hash) return [];
  return [{ app, place, id, what: 'the row differs from its receipt' }];
}
