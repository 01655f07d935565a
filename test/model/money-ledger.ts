import { sql } from 'slonik';
import { z } from 'zod';
import { noteHolding } from '../../src/capabilities/payouts/store.ts';
import { readBankPayouts } from '../../src/capabilities/payouts/sweep.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import { ledgerDifferences } from '../support/ledger.ts';
import type { MoneyModel } from './money-model.ts';
import { config, type Stage } from './money-stage.ts';

const nothing = z.object({});

/** Whose money it is. */
type Of = {
  user: string;
  connected: string;
  isGone: boolean;
  intent: string;
  payment: string;
  payouts: string[];
  model: MoneyModel;
};

const unreadRow = z.object({ id: z.string(), transfer: z.string() });

/** As the sweep of payouts: reads what a run's transfers and their reversals moved at its payout account. */
export async function readArrivals({ db, adapter }: Stage, { user, connected }: Of): Promise<void> {
  const unread = await db.any(sql.type(unreadRow)`
    select p.id, p.processor_transfer_id as transfer
    from payouts p
    where p.user_id = ${user} and p.is_unread`);
  for (const { id, transfer } of unread) {
    const holding = await adapter.findHolding(transfer, connected);
    if (holding.kind === 'found') await noteHolding(db, id, connected, holding.data);
  }
}

/** As the sweep of payouts, hours later: reads a run's payouts to banks, whose notifications may be lost. One run after the other. */
export function readBank(stage: Stage, of: Of): Promise<void> {
  reading = reading.then(() => readDue(stage, of));
  return reading;
}

let reading = Promise.resolve();

async function readDue({ db, adapter }: Stage, { payouts }: Of): Promise<void> {
  const ours = sql.array(payouts, 'text');
  await db.query(sql.type(nothing)`
    update payout_steps set created_at = created_at - interval '7 hours', reconciled_at = null where payout_id = any(${ours})`);
  await readBankPayouts({ db, processor: adapter, config });
  await db.query(sql.type(nothing)`
    update payout_steps set reconciled_at = now() + interval '1 day' where payout_id = any(${ours})`);
}

/** What a run's payout account has received becomes available, and its payouts that waited for that go on. */
export async function arrive({ db, upstream }: Stage, { user, connected }: Of): Promise<void> {
  for (const [id, arrival] of upstream.arrivals)
    if (arrival.account === connected && !arrival.isCredited)
      await fetch(`${upstream.controlUrl}/arrival`, { method: 'POST', body: JSON.stringify({ id }) });
  const waiting = await db.any(sql.type(z.object({ id: z.string() }))`
    update payouts set pay_after = now() where user_id = ${user} and pay_after is not null returning id`);
  for (const { id } of waiting)
    await db.query(sql.type(nothing)`
      select pay_arrived(${id}, ${JSON.stringify({ id: newIntentId(), deadline_s: 600 })}::jsonb)`);
}

/**
 * Legs from a run's account that the processor rejected for the balance, although nothing was taken from the account behind them. A transfer
 * comes from the platform, which may be short.
 */
export const countUnpayable = ({ db }: Stage, { user, connected }: Of): Promise<number> =>
  db.oneFirst(sql.type(z.object({ legs: z.number() }))`
    select count(*)::integer as legs
    from payout_steps s
    join payouts p on p.id = s.payout_id
    where p.user_id = ${user} and s.step <> 'transfer' and s.failure_reason = 'balance_insufficient'
      and not exists (select from ledger_lines l where l.holder = ${connected} and l.account = 'overdrawn')`);

/** Where the ledger differs from the processor's own records of a run's money. At an account that has left nothing can be read. */
export function differencesOf({ db, upstream }: Stage, of: Of): Promise<string[]> {
  const objects = new Set([of.intent, ...(of.isGone ? [] : [of.connected]), ...of.model.transfers.keys()]);
  return ledgerDifferences(db, upstream.balance, {
    atS: Math.floor(Date.now() / 1_000) + 1,
    only: { subjects: [of.payment, ...of.payouts], isCompared: (id) => objects.has(id) },
  });
}
