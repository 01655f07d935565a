import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../../db/pool.ts';
import { coinOf } from '../../../../kernel/exchange-names.ts';
import type { IntentId, OrderUuid, WalletAddress } from '../../../../kernel/ids.ts';
import { countsFor, type WalletQuery } from '../under-way/queries.ts';

const planRow = z.object({ leg: z.enum(['tp', 'sl']), oid: z.string() });

/** The command that is about the exits of a wallet in a pair. */
export type ExitsCommand = { id: IntentId; wallet: WalletAddress; pair: string };

/** An exit by the exchange's number. */
export type PlannedExit = z.infer<typeof planRow>;

/** The exits that rest in a pair by the newest commands about them, as far as their numbers are known. */
export const listPlannedExits = (
  db: Db,
  { wallet, pair }: { wallet: WalletAddress; pair: string },
): Promise<readonly PlannedExit[]> =>
  db.any(sql.prepared('planned_exits', planRow)`
    select p.leg, p.oid
    from exit_plans p
    where p.trader = ${wallet} and p.pair = ${pair} and p.oid is not null`);

/** The exits that a command and those before it have replaced and that nobody has cancelled yet, as far as their numbers were known. */
export const listReplacedExits = (db: Db, { id, wallet, pair }: ExitsCommand): Promise<readonly PlannedExit[]> =>
  db.any(sql.prepared('replaced_exits', planRow)`
    select p.leg, r.oid
    from exit_plans p
    cross join unnest(p.replaced) as r (oid)
    where p.trader = ${wallet} and p.pair = ${pair} and p.intent_id = ${id}`);

type LaterThan = WalletQuery & { pair: string; orderId: OrderUuid; self: IntentId };
const laterRow = z.object({ legs: z.array(z.enum(['tp', 'sl'])), undecided: z.boolean() });

/**
 * The legs of a pair about which a command decided that was accepted after an order. `undecided`: a command other than `self`
 * that may be about them is in doubt, so there may be more. A cancellation by a caller may be about every pair of its wallet.
 */
export const findLaterCommands = (
  db: Db,
  { owner, wallet, pair, orderId, lane, self }: LaterThan,
): Promise<z.infer<typeof laterRow>> => {
  const coin = coinOf(pair);
  return db.one(sql.prepared('later_exit_commands', laterRow)`
    select array(select newer_exits(${wallet}, ${pair}, ${orderId})) legs,
      exists (
        select
        from intents i
        where i.phase = 'in_doubt' and i.lane = ${lane} and i.kind <> 'exchange/place' and i.id <> ${self}
          and ${countsFor({ owner, wallet })}
          and (i.request ->> 'pair' = ${pair} or i.kind = 'exchange/cancel' and coalesce(i.request ->> 'coin', ${coin}) = ${coin})
      ) undecided`);
};
