import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';

const pauseRow = z.custom<components['schemas']['Pauses']['pauses'][number]>();

/** What operators have paused, the oldest first. */
export const listPaused = (db: Pick<Db, 'any'>): Promise<readonly z.infer<typeof pauseRow>[]> =>
  db.any(sql.type(pauseRow)`
    select p.subject, p.name, p.holds_exits, p.reason, p.paused_by, p.paused_at, p.waiting
    from ops.pauses p
    order by p.paused_at, p.subject`);
