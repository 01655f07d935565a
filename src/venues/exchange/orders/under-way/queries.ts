import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../../db/pool.ts';
import type { OwnerId, WalletAddress } from '../../../../kernel/ids.ts';

/** What is under way at a wallet, for one of its owners. `lane`: that of its intents. */
export type WalletQuery = { owner: OwnerId; wallet: WalletAddress; lane: string };

/** Whether an intent `i` counts for an owner: its own, and those of an owner that has proven the wallet. Anybody may name one. */
export const countsFor = ({ owner, wallet }: Pick<WalletQuery, 'owner' | 'wallet'>) =>
  sql.fragment`(i.owner = ${owner} or has_proven_wallet(i.owner, ${wallet}))`;

const busyRow = z.object({ busy: z.enum(['recent', 'long']).nullable() });
const RECENT_S = 30; // a verb that is open for longer is in doubt, and missing exits are reported although they may return
const EXITS_FOUND_WITHIN_S = 60; // the watch of wallets finds the exits of an order that is filled, or places lost ones again, if reads are not behind for longer

/** Exits in a pair that are wanted since `wantedAgoS`; reads may be `lagMs` behind. */
type Wanting = WalletQuery & { pair: string; wantedAgoS: number; lagMs: number };

/** Whether a verb of a wallet is under way that may change the exits in a pair, or exits there are not found yet. `recent`: for a short time. */
export const findBusy = (db: Db, { pair, wantedAgoS, lagMs, ...query }: Wanting): Promise<'recent' | 'long' | null> =>
  db.oneFirst(sql.prepared('exchange_busy', busyRow)`
    select case when coalesce(bool_or(b.is_recent), false) then 'recent' when count(*) > 0 then 'long' end as busy
    from (
      select i.created_at > now() - make_interval(secs => ${RECENT_S}) as is_recent
      from intents i
      where (i.phase = 'pending' or i.phase = 'in_doubt') and i.lane = ${query.lane} and ${countsFor(query)}
        and (i.kind = 'exchange/cancel' or coalesce(i.request ->> 'pair', i.request -> 'terms' ->> 'pair') = ${pair})
      union all
      select true
      from orders o
      where o.trader = ${query.wallet} and o.has_waiting_triggers and o.venue = 'exvenue' and o.pair = ${pair}
        and o.lifecycle <> 'resting' and ${wantedAgoS < Math.max(EXITS_FOUND_WITHIN_S, lagMs / 1_000)}
    ) b`);

const doubtRow = z.object({ doubt: z.enum(['recent', 'long']).nullable() });

/** Whether an order of a wallet in a pair is in doubt: it may have opened a position. `recent`: one that was sent within the last `recentMs`. */
export const findDoubt = (
  db: Db,
  { pair, recentMs, ...query }: WalletQuery & { pair: string; recentMs: number },
): Promise<'recent' | 'long' | null> =>
  db.oneFirst(sql.prepared('order_in_doubt', doubtRow)`
    select case
        when count(*) filter (where i.sending_at > now() - make_interval(secs => ${recentMs / 1000})) > 0 then 'recent'
        when count(*) > 0 then 'long'
      end doubt
    from intents i
    where i.phase = 'in_doubt' and i.lane = ${query.lane} and i.kind = 'exchange/place' and i.request -> 'terms' ->> 'pair' = ${pair}
      and ${countsFor(query)}`);
