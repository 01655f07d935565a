import type { Db } from '../../db/pool.ts';
import { inSnapshot } from '../../db/snapshot.ts';
import { isSignedHead, type PublicKey } from '../../kernel/head-keys.ts';
import type { AppId } from '../../kernel/ids.ts';
import { type ChainPoint, listChains, readChain } from './chains/queries.ts';
import { endOf, type Fault, follow, hashOf, type Receipt, type Signed, startOf } from './rules.ts';

const ROWS_AT_ONCE = 1_000;

/** The result of a check of every chain. */
export type Verified = { chains: number; rows: number; faults: Fault[] };

/**
 * Checks every chain and reports each row that was changed, deleted or inserted. It does not rely on the table's triggers. A receipt, or a full
 * record of a signature, that was kept outside the database also reveals a chain that was rewritten up to its position. A receipt counts if one of
 * `keys` signed it. Rows and recorded ends are read in one snapshot, so concurrent signatures are not reported.
 */
export async function verifyAgreements(
  db: Db,
  receipts: (Signed | Receipt)[] = [],
  keys: readonly Pick<PublicKey, 'kid' | 'x'>[] = [],
): Promise<Verified> {
  const wanted = new Set(receipts.map(slotOf));
  const { hashes, faults, ...checked } = await inSnapshot(db, (tx) => checkChains(tx, wanted));
  return { ...checked, faults: [...faults, ...receipts.flatMap((receipt) => contradicted(receipt, hashes, keys))] };
}

/** `hashes`: the hashes of the `wanted` rows, by their slots. */
async function checkChains(db: Db, wanted: ReadonlySet<string>): Promise<Verified & { hashes: Map<string, string> }> {
  const faults: Fault[] = [];
  const hashes = new Map<string, string>();
  const chains = await listChains(db);
  let rows = 0;
  for (const { app, ...recorded } of chains) {
    let walk = startOf(app);
    for await (const row of rowsOf(db, app)) {
      rows += 1;
      const step = follow(walk, row);
      walk = step.walk;
      faults.push(...step.faults);
      if (wanted.has(slotOf(row))) hashes.set(slotOf(row), row.row_hash);
    }
    faults.push(...endOf(walk, recorded));
  }
  return { chains: chains.length, rows, faults, hashes };
}

async function* rowsOf(db: Db, app: AppId): AsyncGenerator<Signed> {
  for (let last: ChainPoint = { place: Number.MIN_SAFE_INTEGER, id: '' }; ; ) {
    const rows = await readChain(db, app, last, ROWS_AT_ONCE);
    yield* rows;
    last = rows.at(-1) ?? last;
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

const slotOf = ({ app_id, place }: Pick<Signed, 'app_id' | 'place'>) => `${app_id} ${place}`;

function contradicted(
  receipt: Signed | Receipt,
  hashes: Map<string, string>,
  keys: readonly Pick<PublicKey, 'kid' | 'x'>[],
): Fault[] {
  const { app_id: app, place, id } = receipt;
  const isGenuine =
    'signed_head' in receipt ? isSignedHead(receipt, receipt, keys) : hashOf(receipt) === receipt.row_hash;
  if (!isGenuine) return [{ app, place, id, what: 'the receipt itself was changed, or its key is not known' }];
  if (hashes.get(slotOf(receipt)) === receipt.row_hash) return [];
  return [{ app, place, id, what: 'the row differs from its receipt' }];
}
