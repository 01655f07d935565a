import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../../db/pool.ts';
import { type IntentId, idSchema, type WalletAddress } from '../../../../kernel/ids.ts';
import { orderColumns, recordedOrder } from '../../orders/queries.ts';
import type { Candidate } from './choose.ts';

const candidateRow = z.object({
  wallet: idSchema.wallet,
  owners: z.array(z.string()),
  rank: z.number(),
  since_ms: z.number(),
});
const MOST_CANDIDATES = 50;

/** The stream has reported what was sent longer ago than this, if it arrived. */
const TOLD_WITHIN_S = 10;

/**
 * The wallets with the most urgent news, by rank: 1 the filled part of an order may be without exits; 2 a verb that was just sent may have placed
 * exits; 3 an order with exits rests; 4 the exits of a filled order are not found yet, or another verb that was just sent is in doubt; 5 an order
 * rests; 6 a position is open. Only wallets that the ledger reads. Owners take turns within a rank, so that none fills the list.
 */
export const listCandidates = async (db: Db): Promise<Candidate[]> => {
  const rows = await db.any(sql.prepared('stream_candidates', candidateRow)`
    select w.wallet, e.owners, w.rank, w.since_ms
    from (
      select distinct on (u.wallet) u.wallet, u.rank, floor(extract(epoch from u.since) * 1000)::bigint since_ms
      from (
        select o.trader as wallet, r.rank, max(o.created_at) as since
        from orders o
        cross join lateral (
          select case
            when o.lifecycle = 'cancelled' or o.is_resting and o.executed ->> 'status' = 'partial' then 1
            when o.is_resting then 3
            else 4
          end as rank
        ) r
        where o.trader between '0x' and '0y' and o.venue = 'exvenue' and o.has_waiting_triggers
        group by o.trader, r.rank
        union all
        select i.request ->> 'wallet', d.rank, max(i.sending_at)
        from intents i
        cross join lateral (
          select case
            when i.kind = 'exchange/protect' or exits_of_terms(i.request -> 'terms', null, false) <> '[]' then 2
            else 4
          end as rank
        ) d
        where i.phase = 'in_doubt' and i.lane like 'exvenue:%' and i.sending_at > now() - make_interval(secs => ${TOLD_WITHIN_S})
        group by i.request ->> 'wallet', d.rank
        union all
        select i.request ->> 'wallet', 2, max(i.created_at)
        from intents i
        where i.phase = 'pending' and i.lane like 'exvenue:%' and i.kind = 'exchange/protect'
          and coalesce(i.sending_at, i.created_at) > now() - make_interval(secs => ${TOLD_WITHIN_S})
        group by i.request ->> 'wallet'
        union all
        select o.trader, 5, max(o.created_at)
        from orders o
        where o.trader between '0x' and '0y' and o.venue = 'exvenue' and o.is_resting
        group by o.trader
        union all
        select p.ex_wallet, 6, coalesce(max(p.filled_at), to_timestamp(0))
        from exchange_positions p
        where p.size <> 0
        group by p.ex_wallet
      ) u
      order by u.wallet, u.rank
    ) w
    join exchange_cursors c on c.ex_wallet = w.wallet
    cross join lateral (
      select coalesce(array_agg(n.owner order by n.owner), array['']) as owners
      from enrollments n
      where n.ex_wallet = w.wallet
    ) e
    where c.fills_read_at is not null and c.due_at < 'infinity'
    order by w.rank, row_number() over (partition by w.rank, e.owners order by w.since_ms desc), w.since_ms desc
    limit ${MOST_CANDIDATES}`);
  return rows.map(({ since_ms: sinceMs, ...row }) => ({ ...row, sinceMs }));
};

const endRow = z.object({
  coin: z.string(),
  size: z.string(),
  filled_ms: z.number().nullable(),
  newest: z.array(z.string()),
});
const ledgerRow = z.object({ read_to_ms: z.number(), ends: z.array(endRow) });

/** Where the chain of a coin's recorded executions ends. `newest`: its executions of that millisecond, as `<order> <trade>`. */
export type ChainEnd = z.infer<typeof endRow>;

/** How far a wallet's ledger is: up to when it was read without a gap (epoch ms), and where the chains of its coins end. */
export type LedgerEnd = z.infer<typeof ledgerRow>;

/** How far the ledger of a wallet is; null if it was never read, or has a gap. */
export const findLedgerEnd = (db: Db, wallet: WalletAddress): Promise<LedgerEnd | null> =>
  db.maybeOne(sql.prepared('ledger_end', ledgerRow)`
    select floor(extract(epoch from c.read_to) * 1000)::bigint read_to_ms, coalesce((
        select jsonb_agg(jsonb_build_object(
          'coin', p.coin,
          'size', trim_scale(p.size)::text,
          'filled_ms', round(extract(epoch from p.filled_at) * 1000),
          'newest', array(
            select f.oid || ' ' || f.trade_id
            from exchange_fills f
            where f.ex_wallet = p.ex_wallet and f.coin = p.coin and f.filled_at = p.filled_at
          )
        ))
        from exchange_positions p
        where p.ex_wallet = c.ex_wallet
      ), '[]') as ends
    from exchange_cursors c
    where c.ex_wallet = ${wallet} and c.fills_read_at is not null and c.gap_at is null`);

const nameRow = z.object({
  id: idSchema.intent,
  wallet: idSchema.wallet,
  isOpen: z.boolean(),
  targets: z.array(z.string()),
});

/**
 * What the stream may report of wallets: their orders that rest or have exits that wait, and their verbs that have not ended (`isOpen`). `targets`:
 * the client order ids of what a verb cancels.
 */
export const listNames = (db: Db, wallets: readonly WalletAddress[]): Promise<readonly z.infer<typeof nameRow>[]> =>
  db.any(sql.prepared('stream_names', nameRow)`
    select o.id, o.trader as wallet, false as "isOpen", '{}'::text[] as targets
    from orders o
    where o.trader = any(${sql.array([...wallets], 'text')}) and o.is_resting
    union
    select o.id, o.trader, false, '{}'
    from orders o
    where o.trader = any(${sql.array([...wallets], 'text')}) and o.has_waiting_triggers
    union all
    select i.id, i.request ->> 'wallet', true, array(
        select t ->> 'cloid'
        from jsonb_array_elements(i.sent_payload -> 'targets') t
        where t ->> 'cloid' is not null
      )
    from intents i
    where (i.phase = 'pending' or i.phase = 'in_doubt') and i.lane = any(${sql.array(
      wallets.map((wallet) => `exvenue:${wallet}`),
      'text',
    )})`);

const streamedOrder = recordedOrder.extend({
  lifecycle: z.string().nullable(),
  is_resting: z.boolean(),
  waits: z.boolean(),
});

/** An order of which the stream had news. `lifecycle`: null until its placement is recorded. `waits`: its exits wait, or are not found yet. */
export const findStreamedOrder = (db: Db, id: IntentId): Promise<z.infer<typeof streamedOrder> | null> =>
  db.maybeOne(sql.prepared('streamed_order', streamedOrder)`
    select ${orderColumns}, o.lifecycle, o.is_resting, o.has_waiting_triggers as waits
    from orders o
    where o.id = ${id} and o.venue = 'exvenue'`);
