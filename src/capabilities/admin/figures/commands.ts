import { sql } from 'slonik';
import { z } from 'zod';
import { bucketOf } from '../../../capacity/exchange.ts';
import type { Config } from '../../../config.ts';
import type { Db } from '../../../db/pool.ts';

/** The dependencies of `rollUp`. */
export type RollUpDeps = { db: Db; config: Pick<Config, 'EXVENUE_URL' | 'EXVENUE_BUDGET_PER_MINUTE'> };

/**
 * Brings the figures of the charts up to now. Safe to repeat; minutes of the last hour that no worker counted are
 * counted now.
 */
export async function rollUp({ db, config }: RollUpDeps): Promise<void> {
  const { burst, perSecond } = bucketOf(config.EXVENUE_BUDGET_PER_MINUTE);
  await db.query(sql.type(z.object({}))`select from roll_up(${config.EXVENUE_URL}, ${burst}, ${perSecond})`);
}
