import type { Exvenue, OrderView } from '../../adapters/exvenue/types.ts';
import type { Finding } from '../../intents/carry-out.ts';
import { accepted, inDoubt } from '../../kernel/answer.ts';
import { legCloid } from './rules.ts';

type Leg = 'tp' | 'sl';

/** Exits found at the exchange, by leg; a leg that was refused beside the other is missing. */
export type ExitFact = Partial<Record<Leg, number>>;

/** An exit that rested before new ones were placed. */
export type OldExit = { leg: Leg; oid: number; triggerPrice: string | null };

/** The reduce-only exits that rest on a coin already: what new ones replace, leg by leg. */
export const exitsOn = (orders: OrderView[], coin: string): OldExit[] =>
  orders
    .filter((order) => order.coin === coin && order.exit !== null && order.reduceOnly)
    .map(({ exit, oid, triggerPrice }) => ({ leg: exit as Leg, oid, triggerPrice })); // as: filtered for it

/**
 * Looks for the exits an intent placed, each under its own cloid. They came in one action: with one of them there the action was
 * executed, and a missing one was refused.
 */
export async function findExits(
  exvenue: Exvenue,
  account: string,
  intentId: string,
  legs: Leg[],
): Promise<Finding<ExitFact>> {
  const fact: ExitFact = {};
  for (const leg of legs) {
    const status = await exvenue.orderStatus(account, legCloid(intentId, leg));
    if (status.kind === 'unreadable') return inDoubt(status.why);
    if (status.kind === 'found' && status.said.state !== 'rejected') fact[leg] = status.said.order.oid;
  }
  return Object.keys(fact).length > 0 ? accepted(fact) : { kind: 'absent' };
}
