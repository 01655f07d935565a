import { sealingKeys } from '../src/config.ts';
import { reseal, sealedColumns } from '../src/db/reseal.ts';
import { sealer } from '../src/kernel/seal.ts';
import { onDatabase } from './support/database.ts';

/*
 * Seals everything that an older key sealed anew under the first key of SEALING_KEYS, which must hold the older ones, too:
 *   SEALING_KEYS=new:…,old:… npm run reseal
 */
const keys = sealingKeys();
if (!keys) {
  process.stderr.write('Set SEALING_KEYS: the new key first, then the older ones.\n');
  process.exit(2);
}

const ring = sealer(keys);
await onDatabase(async (db) => {
  for (const place of sealedColumns) {
    process.stdout.write(`${place.table}.${place.column}  ${await reseal(db, ring, place)} sealed anew\n`);
  }
});
