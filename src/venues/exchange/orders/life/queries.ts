import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../../db/pool.ts';
import { intentColumns } from '../../../../intents/claim.ts';
import { intentRow } from '../../../../intents/intent.ts';
import { coinOf, legCloid } from '../../../../kernel/exchange-names.ts';
import { type IntentId, type OwnerId, orderIdsOf, type WalletAddress } from '../../../../kernel/ids.ts';
import { report, terms } from '../results.ts';

const orderRow = z.object({
  terms,
  executed: report.nullable(),
  lifecycle: z.enum(['resting', 'filled', 'cancelled']).nullable(),
});

const lifeRow = intentRow.extend({
  order: orderRow.nullable(),
  seen_at: z.string().nullable(),
  fills_seen_at: z.string().nullable(),
});

/**
 * What is recorded of an order: its intent and, unless it closes a position, the order. `seen_at`: when the last read of its wallet at the exchange
 * began, successful or not. `fills_seen_at`: when the exchange last showed the executions of the wallet.
 */
export type RecordedLife = z.infer<typeof lifeRow>;

/** An order or closing of an owner's wallet by its owner's name of it or its id, or else an order by the exchange's number. */
export const findRecordedLife = (
  db: Db,
  { owner, wallet, id, oid }: { owner: OwnerId; wallet: WalletAddress; id: IntentId | null; oid: string | null },
): Promise<RecordedLife | null> =>
  db.maybeOne(sql.prepared('order_life', lifeRow)`
    select ${intentColumns},
      case when o.id is not null
        then jsonb_build_object('terms', terms_of(o.id, o.terms), 'executed', o.executed, 'lifecycle', o.lifecycle)
      end as "order",
      c.read_at as seen_at, c.fills_read_at as fills_seen_at
    from intents i
    left join orders o on o.id = i.id
    left join exchange_cursors c on c.ex_wallet = ${wallet}
    where i.id = any(${sql.array(id === null ? [] : orderIdsOf(owner, id), 'uuid')} || array(
        select n.id
        from orders n
        where n.owner = ${owner} and n.trader = ${wallet} and n.exchange_number = ${oid}
        limit 1
      ))
      and i.owner = ${owner} and i.kind in ('exchange/place', 'exchange/close') and i.request ->> 'wallet' = ${wallet}`);

const factsRow = z.object({
  filled: z.record(z.string(), z.string()),
  decided: z.array(z.string()),
  ended: z.record(z.string(), z.number()),
  isFlat: z.boolean(),
  read_ms: z.number().nullable(),
});

/**
 * What is recorded of the exits of an order. `filled`: the executed size by leg. `decided`: the legs that a later command decided about.
 * `ended`: when exits ended, by their client order ids (epoch ms). `isFlat`: the position of its pair has been closed since. `read_ms`: when the
 * executions of its wallet were last read (epoch ms); null if some since its acceptance may be missing.
 */
export type ExitFacts = z.infer<typeof factsRow>;

type OrderOfExits = {
  id: IntentId;
  wallet: WalletAddress;
  pair: string;
  acceptedAt: string;
  report: { tp_order_id: string | null; sl_order_id: string | null };
};

/** What is recorded of the exits that were sent with an order. */
export const findExitFacts = (
  db: Db,
  { id, wallet, pair, acceptedAt, report: { tp_order_id, sl_order_id } }: OrderOfExits,
): Promise<ExitFacts> =>
  db.one(sql.prepared('exit_facts', factsRow)`
    select
      (
        select coalesce(jsonb_object_agg(l.leg, l.size), '{}')
        from (
          select n.leg, trim_scale(sum(f.size))::text size
          from exchange_fills f
          join (values ('tp', ${tp_order_id}::text, ${legCloid(id, 'tp')}), ('sl', ${sl_order_id}::text, ${legCloid(id, 'sl')})) n (leg, oid, cloid)
            on f.oid = n.oid or f.cloid = n.cloid
          where f.ex_wallet = ${wallet} and f.coin = ${coinOf(pair)} and f.filled_at >= ${acceptedAt}::timestamptz - interval '1 minute'
          group by n.leg
        ) l
      ) filled,
      array(select newer_exits(${wallet}, ${pair}, ${id})) decided,
      coalesce((
        select w.seen -> 'ended'
        from wanted_exits w
        where w.venue = 'exvenue' and w.trader = ${wallet} and w.pair = ${pair}
      ), '{}') ended,
      exists (
        select
        from exchange_positions p
        where p.ex_wallet = ${wallet} and p.coin = ${coinOf(pair)} and p.size = 0 and p.filled_at > ${acceptedAt}::timestamptz
      ) "isFlat",
      (
        select floor(extract(epoch from c.fills_read_at) * 1000)::bigint
        from exchange_cursors c
        where c.ex_wallet = ${wallet} and c.gap_at is null and c.complete_from <= ${acceptedAt}::timestamptz
      ) read_ms`);

/** Whether an owner has enrolled a wallet. */
export const isEnrolled = (db: Db, owner: OwnerId, wallet: WalletAddress): Promise<boolean> =>
  db.exists(sql.prepared('is_enrolled', z.object({}))`
    select
    from enrollments e
    where e.owner = ${owner} and e.ex_wallet = ${wallet}`);

const fillRow = z.object({
  trade_id: z.string().nullable(),
  price: z.string(),
  size: z.string(),
  fee: z.string(),
  fee_token: z.string(),
  realized_pnl: z.string(),
  is_liquidation: z.boolean(),
  time: z.string(),
});

/** An execution of an order as it is shown. */
export type ShownFill = z.infer<typeof fillRow>;

/** The recorded executions of an order by the exchange's number, and by its id if it is one of ours, oldest first. */
export const listFillsOf = (
  db: Db,
  wallet: WalletAddress,
  oid: string,
  id: IntentId | null,
): Promise<readonly ShownFill[]> =>
  db.any(sql.prepared('fills_of_order', fillRow)`
    select f.trade_id::text, trim_scale(f.price)::text price, trim_scale(f.size)::text size, trim_scale(f.fee)::text fee, f.fee_token,
      trim_scale(f.closed_pnl)::text realized_pnl, f.is_liquidation, f.filled_at "time"
    from executions_of_order(${wallet}, ${oid}, ${id}) f
    order by f.filled_at, f.trade_id`);
