import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { type AppId, idSchema } from '../../../kernel/ids.ts';
import { type Signature, signatureColumns, signatureRow } from '../queries.ts';

/** A row of a chain: its position, and its id, since a manipulated table may have several rows of one position. */
export type ChainPoint = { place: number; id: string };

/** Signatures of one app's chain after a row, in chain order, at most `limit`. */
export const readChain = (
  db: Db,
  app: AppId,
  { place, id }: ChainPoint,
  limit: number,
): Promise<readonly Signature[]> =>
  db.any(sql.type(signatureRow)`
    select ${signatureColumns}
    from agreement_signatures s
    where s.app = ${app} and (s.position, s.id) > (${place}, ${id})
    order by s.position, s.id
    limit ${limit}`);

const chainRow = z.object({ app: idSchema.app, length: z.number(), last_hash: z.string().nullable() });

/** The recorded length and last hash of each chain. An app with rows but no record has length 0. */
export const listChains = (db: Db): Promise<readonly z.infer<typeof chainRow>[]> =>
  db.any(sql.type(chainRow)`
    select a.app, coalesce(c.length, 0) as length, c.last_hash
    from (
      select app from agreement_chains
      union
      select app from agreement_signatures
    ) a
    left join agreement_chains c on c.app = a.app
    order by a.app`);
