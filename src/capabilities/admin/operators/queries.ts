import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import { keysetPage } from '../../../db/keyset.ts';
import type { Db } from '../../../db/pool.ts';
import type { PageRequest } from '../../../kernel/pages.ts';

const operatorRow = z.custom<components['schemas']['Operator']>();

const shown = sql.fragment`
  o.id as admin_id, o.email, o.role, o.has_authenticator as totp_enrolled, o.disabled_at is null as active,
  o.invited_until, o.open_sessions, o.last_seen_at, o.created_at`;

/** Operators, newest first, after `cursor`. */
export const listOperators = (db: Db, page: PageRequest): Promise<readonly z.infer<typeof operatorRow>[]> =>
  db.any(sql.type(operatorRow)`
    select ${shown}
    from ops.operators o
    where ${keysetPage({ table: 'ops.operators', alias: 'o', time: 'created_at', order: 'newest first' }, page)}`);

/** One operator. Throws if there is none. */
export const getOperator = (db: Pick<Db, 'one'>, operator: string): Promise<z.infer<typeof operatorRow>> =>
  db.one(sql.type(operatorRow)`
    select ${shown}
    from ops.operators o
    where o.id = ${operator}`);

/** Whether there is an operator of this id. */
export const isOperator = (db: Db, operator: string): Promise<boolean> =>
  db.exists(sql.unsafe`select from admins a where a.id = ${operator}`);
