import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'slonik';
import { z } from 'zod';
import { digest } from '../../src/kernel/ids.ts';
import { type Ask, asking, bearer } from './identity.ts';
import { checkOut, type Money } from './money.ts';

/** Verified, logged-in users by the hundred, written directly into the tables, because hashing passwords is slow. */
export async function manyUsers({ db, url, tenant }: Money, count: number): Promise<{ userId: string; ask: Ask }[]> {
  const users = Array.from({ length: count }, (_, n) => ({
    userId: `usr_${n}_${randomBytes(12).toString('hex')}`,
    session: `sess_${randomBytes(32).toString('base64url')}`,
  }));
  const nothing = z.object({});
  for (const { userId, session } of users) {
    await db.query(sql.type(nothing)`
      with made as (
        insert into users (id, app_id, email, password_hash, verified_at)
        values (${userId}, ${tenant.appId}, ${`${userId}@example.com`}, 'none', now())
        returning id
      )
      insert into user_sessions (id, digest, user_id, expires_at)
      select ${`uss_${userId}`}, ${sql.binary(digest(session))}, id, now() + interval '1 day'
      from made`);
  }
  return users.map(({ userId, session }) => ({
    userId,
    ask: asking(url, { ...bearer(tenant.token), 'X-Session-Token': session }),
  }));
}

/**
 * Checkouts by the hundred and the actions of card holders: a third is declined once first, a tenth is never paid, some
 * are refunded or disputed afterwards. Returns how many were paid.
 */
export async function payMany(service: Money, count: number, tier: object): Promise<number> {
  const users = await manyUsers(service, 10);
  const paid = await Promise.all(
    users.map(async ({ ask }, first) => {
      let expected = 0;
      for (let n = first; n < count; n += users.length) if (await live(service, ask, tier, n)) expected += 1;
      return expected;
    }),
  );
  return paid.reduce((total, expected) => total + expected, 0);
}

/** The life of one payment, chosen by its number. Returns whether it was paid. */
async function live(service: Money, ask: Ask, tier: object, n: number): Promise<boolean> {
  const { processor_payment_intent_id: id } = await checkOut(ask, tier);
  const move = (to: string) => service.control('payment', { id, to });
  if (n % 2 === 0) await move('declined');
  if (n % 4 === 0) await move('declined');
  if (n % 10 === 9) return false;
  await move('succeeded');
  if (n % 7 === 0) await move('refunded');
  if (n % 11 === 0) await move('disputed');
  return true;
}

/** The same members in an order drawn from a fixed seed. */
export function shuffled<T>(items: readonly T[]): T[] {
  let state = 42;
  const draw = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return items
    .map((item) => ({ item, at: draw() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** In chunks of the given size. */
export const piecesOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));

const openRow = z.object({ open: z.number() });

/** Waits until nothing about money is in progress: events, intents, reconciliations, and accounts being created. */
export async function atRest({ db }: Money, withinMs: number): Promise<void> {
  for (const end = Date.now() + withinMs; Date.now() < end; await sleep(100)) {
    const open = await db.oneFirst(sql.type(openRow)`
      select (select count(*) from processor_events where acted_at is null)
        + (select count(*) from intents where settled_at is null)
        + (select count(*) from prop_accounts where status = 'provisioning')
        + (select count(*) from graphile_worker.jobs where task_identifier like 'payments/%') as open`);
    if (open === 0) return;
  }
  throw new Error('Something of money is still under way');
}
