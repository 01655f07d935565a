import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { digest, idSchema, newSecret, type OwnerId, type PropAccountId } from '../../../kernel/ids.ts';
import type { Ticket } from '../../../kernel/principal.ts';
import type { EventLogs } from '../logs.ts';

const VALID_S = 60; // a page opens its stream at once

/** A ticket just issued. `ticket` is shown once; only its digest is stored. */
export type IssuedTicket = { ticket: string; expires_at: string };

/** Whose stream a ticket opens: of an account, or (null) of the partner. `credentials`: what it was issued with. */
type Issue = { owner: OwnerId; caller: string; credentials: string[]; propAccountId: PropAccountId | null };

/** Issues a ticket that opens one stream within 60 s. */
export async function issueTicket(db: Db, { owner, caller, credentials, propAccountId }: Issue): Promise<IssuedTicket> {
  const ticket = newSecret('stk');
  const expires_at = await db.oneFirst(sql.prepared('issue_stream_ticket', z.object({ expires_at: z.string() }))`
    insert into stream_tickets (digest, owner, caller, credentials, prop_account_id, expires_at)
    values (
      ${sql.binary(digest(ticket))}, ${owner}, ${caller}, ${sql.array(credentials, 'text')}, ${propAccountId},
      now() + make_interval(secs => ${VALID_S})
    )
    returning expires_at`);
  return { ticket, expires_at };
}

/**
 * Uses up a ticket and finds who it speaks for. Null for one that is unknown, used, expired, of the other kind, or issued
 * with a credential that is invalid by now.
 */
export type TicketFinder = (ticket: string) => Promise<Ticket | null>;

const spentRow = z.object({
  owner: idSchema.owner,
  caller: z.string(),
  credentials: z.array(z.string()),
  prop_account_id: idSchema.propAccount.nullable(),
  per_minute: z.number(),
  allowed_origins: z.array(z.string()),
});

/** Makes the finder of tickets for the streams of partners, or of prop accounts. `logs`: those of that kind. */
export const ticketFinder =
  (db: Db, kind: 'partner' | 'account', logs: Pick<EventLogs, 'invalid'>): TicketFinder =>
  async (ticket) => {
    const spent = await db.maybeOne(sql.prepared('spend_stream_ticket', spentRow)`
      with spent as (
        delete from stream_tickets t
        where t.digest = ${sql.binary(digest(ticket))} and (t.prop_account_id is not null) = ${kind === 'account'}
        returning t.owner, t.caller, t.credentials, t.prop_account_id, t.expires_at
      )
      select s.owner, s.caller, s.credentials, s.prop_account_id,
        coalesce(a.requests_per_minute, p.requests_per_minute) as per_minute, coalesce(a.allowed_origins, '{}') as allowed_origins
      from spent s
      left join apps a on a.id = s.owner
      left join partners p on p.id = s.owner
      where s.expires_at > now()`);
    if (!spent || (await logs.invalid(spent.credentials)).length > 0) return null;
    return {
      kind: 'ticket',
      owner: spent.owner,
      caller: spent.caller,
      credentials: spent.credentials,
      propAccountId: spent.prop_account_id,
      perMinute: spent.per_minute,
      origins: spent.allowed_origins,
    };
  };
