import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { digest } from '../../../kernel/ids.ts';

const linkRow = z.object({
  name: z.string(),
  opened_at: z.string().nullable(),
  is_superseded: z.boolean(),
  is_expired: z.boolean(),
  is_disabled: z.boolean(),
});

/** The state of a reveal link. Reading it does not open it. */
export type RevealLink = z.infer<typeof linkRow>;

/** The link a token belongs to, or null. */
export const findRevealLink = (db: Db, token: string): Promise<RevealLink | null> =>
  db.maybeOne(sql.prepared('find_reveal_link', linkRow)`
    select a.name, l.opened_at, l.superseded_at is not null as is_superseded, l.expires_at <= now() as is_expired,
      a.disabled_at is not null as is_disabled
    from reveal_links l
    join apps a on a.id = l.app_id
    where l.digest = ${sql.binary(digest(token))}`);
