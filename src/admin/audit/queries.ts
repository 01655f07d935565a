import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import type { PageRequest } from '../../kernel/pages.ts';

const actionRow = z.custom<{ id: string } & components['schemas']['OperatorAction']>();

type Wanted = PageRequest & { subject: string | null };

/** Actions of operators, over HTTP and in psql, newest first, after `cursor`. `detail` includes the reason as `why`. */
export const listActions = (
  db: Db,
  { subject, cursor, limit }: Wanted,
): Promise<readonly z.infer<typeof actionRow>[]> =>
  db.any(sql.type(actionRow)`
    select a.id, a.at, a.who as actor, a.action, a.subject,
      a.detail || jsonb_strip_nulls(jsonb_build_object('why', a.why)) as detail
    from ops.actions a
    where (${subject}::text is null or a.subject = ${subject})
      and (${cursor}::text is null or (a.at, a.id) < (
        select c.at, c.id
        from ops.actions c
        where c.id = ${cursor}
      ))
    order by a.at desc, a.id desc
    limit ${limit}`);

/** Whether the log has an entry of this id. */
export const isAction = (db: Db, id: string): Promise<boolean> =>
  db.exists(sql.unsafe`select from ops.actions a where a.id = ${id}`);
