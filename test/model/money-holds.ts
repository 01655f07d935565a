import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { EARNED } from './money-stage.ts';
import type { MoneySystem } from './money-system.ts';

const TRADES = ['evaluation', 'funded'];
const atRestRow = z.object({
  held: z.number(),
  is_listed: z.boolean(),
  is_stranded: z.boolean(),
  is_completed: z.boolean(),
});

/** Holds after each step: no more is paid out than was earned. */
export function holdsAlways(s: MoneySystem): void {
  expect(s.model.paidOut, 'paid out').to.be.at.most(EARNED);
}

/** Holds once everything that was lost is found and every job has run. */
export async function holdsAtRest(s: MoneySystem): Promise<void> {
  const { model } = s;
  const account = await s.account();
  if (s.isGone) await weekPasses(s); // what the processor shows nothing of is listed then at the latest
  const figures = await s.db.one(sql.type(atRestRow)`
    select m.held_cents as held,
      exists (select from ops.list_paid_without_account(-1) u where u.payment_id = ${s.payment}) as is_listed,
      exists (select from ops.list_stranded_payouts() l where l.user_id = ${s.user}) as is_stranded,
      exists (select from payouts o where o.user_id = ${s.user} and o.status = 'completed') as is_completed
    from payments p
    cross join lateral payment_money(p) m
    where p.id = ${s.payment}`);
  expect(figures.held, 'money held').to.equal(model.held);
  expect(await s.unpayable(), 'legs of money that was not there').to.equal(0);
  expect(await s.differences(), 'the ledger and the processor').to.deep.equal([]);
  expect(account?.accounts ?? 0, 'accounts').to.equal(model.received > 0 ? 1 : 0);
  const trades = TRADES.includes(account?.status ?? '');
  if (trades) expect(model.mayTrade, 'a tradeable account has its money, or an operator said so').to.equal(true);
  if (model.received > 0 && model.lost === 0 && account)
    expect(account.status, 'what came back gives the account back').not.to.equal('eliminated');
  expect(figures.is_listed, 'kept and serves nobody').to.equal(model.held > 0 && !trades);
  const isAway = [...model.bank.values()].some((status) => ['pending', 'in_transit'].includes(status));
  const paid = [...model.bank.values()].includes('paid');
  const isUnseen = s.isGone && figures.is_completed; // what a bank returns to an account that has left, nobody is shown
  if (model.paidOut > 0 && !isAway && !paid && !isUnseen) expect(figures.is_stranded, 'stranded').to.equal(true);
  if (model.paidOut === 0) expect(figures.is_stranded, 'not stranded').to.equal(false);
}

const weekPasses = ({ db, user }: MoneySystem) =>
  db.query(sql.type(z.object({}))`
    update payouts set submitted_at = submitted_at - interval '8 days' where user_id = ${user}`);

const DAY_PASSES_AFTER = 4; // rounds: what can be found is found by then

/**
 * Everything that was lost is found by reconciliation, and every job runs. What cannot be found, because its trader has left the platform, ends a day
 * later for an operator.
 */
export async function settle(s: MoneySystem): Promise<void> {
  await s.control('settings', { available: null });
  for (let round = 0; round < 8; round += 1) {
    if (round === DAY_PASSES_AFTER) await s.passDay();
    await s.catchUp(round % 2 === 1);
    const open = await s.work();
    await s.sync();
    await s.readBank();
    await s.readArrivals();
    await s.arrive();
    if (open === 0 && s.pending.length === 0 && !(await s.isOpen())) return;
  }
  throw new Error('It does not come to rest');
}
