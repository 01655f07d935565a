import { makeOlder } from '../older.ts';
import { creditArrival } from './earnings.ts';
import { nowS, type World } from './world.ts';

/** Lets time pass: what the processor made becomes older, and money that is available by now is in its account's balance. */
export function advanceProcessor(world: World, ms: number): void {
  const { payments, refunds, disputes, sessions, transfers, reversals, arrivals, payouts, balance, events } = world;
  makeOlder(
    [payments, refunds, disputes, sessions, transfers, reversals, arrivals, payouts, balance, events],
    /^(created|available_on)$/,
    ms / 1_000,
  );
  for (const [id, { balance_transaction }] of arrivals)
    if (balance_transaction.available_on <= nowS()) creditArrival(world, id);
}
