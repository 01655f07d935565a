import { sealingKeys } from '../config.ts';
import { listOtherSealers, reseal, sealedColumns } from '../db/reseal.ts';
import { sealer } from '../kernel/seal.ts';
import { onDatabase } from './database.ts';

/*
 * Reseals every value that an older key sealed, under the first key of SEALING_KEYS. The older keys must follow it:
 *   SEALING_KEYS=new:…,old:… npm run ops -- reseal
 */
const keys = sealingKeys();
if (!keys) {
  process.stderr.write('Set SEALING_KEYS: the new key first, then the older ones.\n');
  process.exit(2);
}

const ring = sealer(keys);
await onDatabase(async (db) => {
  const others = await listOtherSealers(db, ring);
  if (others.length > 0)
    throw new Error(
      `Nothing was resealed: ${others.join(', ')} would go on sealing with another key. Start them with the new key first.`,
    );
  for (const column of sealedColumns) {
    process.stdout.write(`${column.table}.${column.column}  ${await reseal(db, ring, column)} resealed\n`);
  }
});
