import { sql } from 'slonik';
import { batched } from '../db/batched.ts';
import type { Db } from '../db/pool.ts';
import { intentColumns } from './claim.ts';
import { type Intent, intentRow } from './intent.ts';

/** Reads one intent; readers that come together share a query. Names no owner: for ids this process accepted itself. */
export type IntentReader = (intentId: string) => Promise<Intent | null>;

/**
 * Makes the process's shared reader of intents. The limit keeps it on the index, also under a plan that was made while the
 * table was nearly empty.
 */
export function intentReader(db: Db): IntentReader {
  return batched(async (ids: string[]) => {
    const rows = await db.any(sql.prepared('read_intents', intentRow)`
      select ${intentColumns}
      from unnest(${sql.array(ids, 'uuid')}) as wanted (id)
      cross join lateral (
        select *
        from intents
        where intents.id = wanted.id
        limit 1
      ) i`);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  });
}

/** An intent of this owner, or null: a foreign id is as unknown as one never given. */
export const findIntent = (db: Db, owner: string, intentId: string): Promise<Intent | null> =>
  db.maybeOne(sql.prepared('find_intent', intentRow)`
    select ${intentColumns}
    from intents i
    where i.id = ${intentId} and i.owner = ${owner}`);
