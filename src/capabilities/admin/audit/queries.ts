import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import { keysetPage } from '../../../db/keyset.ts';
import type { Db } from '../../../db/pool.ts';
import type { PageRequest } from '../../../kernel/pages.ts';

const actionRow = z.custom<{ id: string } & components['schemas']['OperatorAction']>();

type Filter = PageRequest & { subject: string | null };

/**
 * Actions of operators, over HTTP and in psql, newest first, after `cursor`, with the names of who acted and what was
 * acted on. `detail` includes the reason as `why`.
 */
export const listActions = (db: Db, { subject, ...page }: Filter): Promise<readonly z.infer<typeof actionRow>[]> =>
  db.any(sql.type(actionRow)`
    with page as (
      select *
      from ops.actions a
      where (${subject}::text is null or a.subject = ${subject})
        and ${keysetPage({ table: 'ops.actions', alias: 'a', time: 'at', order: 'newest first' }, page)}
    )
    select p.id, p.at, p.who as actor, ops.name_of(substring(p.who from '^admin:(.*)$')) as actor_name, p.action, p.subject,
      ops.name_of(p.subject) as subject_name, p.detail || jsonb_strip_nulls(jsonb_build_object('why', p.why)) as detail
    from page p
    order by p.at desc, p.id desc`);

/** Whether the log has an entry of this id. */
export const isAction = (db: Db, id: string): Promise<boolean> =>
  db.exists(sql.unsafe`select from ops.actions a where a.id = ${id}`);
