import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../src/db/pool.ts';
import { restingOf, venueOf } from './orders.ts';
import type { TestService } from './service.ts';

const nothing = z.object({});

/** Whose exits are compared: of one wallet at the exchange, or at the network of everybody or of one trader, whose turn then does not wait. */
type Whose = { wallet?: string; traderId?: string };

/** Lets time pass for the comparisons of wanted exits, a minute by default, and has them made now. */
export async function compareNow(db: Db, { wallet, traderId = '' }: Whose = {}, passedS = 60): Promise<void> {
  const venue = wallet === undefined ? 'netvenue' : 'exvenue';
  await db.query(sql.type(nothing)`
    update wanted_exits
    set due_at = case when due_at is not null then now() end, wanted_at = wanted_at - make_interval(secs => ${passedS}),
      missing_since = missing_since - make_interval(secs => ${passedS})
    where venue = ${venue} and (trader = ${wallet ?? null} or venue = 'netvenue' and trader like ${`%${traderId && `\\_${traderId}`}`})`);
  await db.query(
    sql.type(
      nothing,
    )`update orders set absent_since = absent_since - interval '1 minute' where absent_since is not null`,
  );
  await db.query(sql.type(nothing)`select plan_comparison(${venue}, 0)`);
}

/** Reads until something is there, while comparisons are made. */
export async function comparedUntil<T>(
  db: Db,
  read: () => Promise<T | null | undefined | false>,
  { withinMs = 15_000, ...whose }: Whose & { withinMs?: number } = {},
) {
  const endsAt = Date.now() + withinMs;
  for (;;) {
    const result = await read();
    if (result) return result;
    if (Date.now() > endsAt) throw new Error(`not within ${withinMs} ms: ${read}`);
    await compareNow(db, whose);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Other software with the entity's key cancels the exits of a trader: all, or those of this uuid. */
export async function cancelExits(
  service: Pick<TestService, 'miner'>,
  trader: { traderId: string },
  only?: string,
): Promise<void> {
  for (const { uuid, executionType } of await restingOf(service as TestService, trader)) {
    if (executionType !== 'BRACKET' || (only !== undefined && uuid !== only)) continue;
    const common = { execution_type: 'LIMIT_CANCEL', trade_pair: 'BTCUSDC' } as const;
    await venueOf(service as TestService).submit({
      ...common,
      order_uuid: uuid,
      subaccount_id: Number(trader.traderId),
    });
  }
}

/** The pairs of a trader in which exits are seen to be missing. */
export const missingOf = (db: Db, traderId: string): Promise<readonly string[]> =>
  db.anyFirst(sql.type(z.object({ pair: z.string() }))`
    select w.pair
    from wanted_exits w
    where w.trader like ${`%\\_${traderId}`} and w.missing_since is not null`);

/** Whether the last comparison of a trader's exits found all of them, and nothing has asked for another one since. */
export const wereFoundAlive = (db: Db, traderId: string): Promise<boolean> =>
  db.exists(sql.type(nothing)`
    select
    from wanted_exits w
    where w.trader like ${`%\\_${traderId}`} and w.seen ->> 'state' = 'protected' and not w.is_changed`);
