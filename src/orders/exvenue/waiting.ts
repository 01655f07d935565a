import type { Exvenue, OrderRecord } from '../../adapters/exvenue/types.ts';
import type { Offer } from '../../intents/accept.ts';
import type { Lookup } from '../../kernel/answer.ts';
import { followUp, type ProtectAsked } from './intents.ts';
import type { RecordedExchangeOrder } from './queries.ts';
import { cloidOf, legCloid, legsOf, type Told } from './rules.ts';

/** What a look at waiting exits showed, and what must follow from it. */
export type SeenExits = { told: Partial<Told>; next: Offer | null };

/**
 * Looks what became of an order's exits once it rests no longer. Null: it rests still, or the exchange did not say. Exits that fell
 * with an order that was filled in part are placed anew for the position, by an intent that follows.
 */
export async function readExits(exvenue: Exvenue, order: RecordedExchangeOrder): Promise<SeenExits | null> {
  const { id, trader, terms } = order;
  const parent = await exvenue.orderStatus(trader, cloidOf(id));
  if (parent.kind !== 'found' || parent.said.state === 'open' || parent.said.state === 'unknown') return null;
  const legs = legsOf(terms);
  const looked: Lookup<OrderRecord>[] = [];
  for (const leg of legs) looked.push(await exvenue.orderStatus(trader, legCloid(id, leg)));
  if (looked.some(({ kind }) => kind === 'unreadable')) return null;
  const oids = looked.map(oidIfAlive);
  const oidOf = (leg: 'tp' | 'sl') => oids[legs.indexOf(leg)] ?? null;
  const status = parent.said.state === 'filled' ? 'filled' : 'cancelled';
  if (oids.every((oid) => oid !== null)) {
    return {
      told: { status, tp_order_id: oidOf('tp'), sl_order_id: oidOf('sl'), trigger_status: 'placed' },
      next: null,
    };
  }
  const filledNothing = status === 'cancelled' && parent.said.order.size === parent.said.order.originalSize;
  if (filledNothing)
    return {
      told: { status, trigger_status: 'failed', trigger_error: 'The order ended without being filled.' },
      next: null,
    };
  const { pair, take_profit, stop_loss } = terms;
  const asked: ProtectAsked = { wallet: trader, pair, take_profit, stop_loss };
  const told = {
    status,
    trigger_status: 'partial_failure',
    trigger_error: 'The exits fell with the order; new ones are placed for the position.',
  };
  return { told: told as Partial<Told>, next: followUp(order, 'protect', asked) };
}

const oidIfAlive = (look: Lookup<OrderRecord>): string | null =>
  look.kind === 'found' && ['open', 'triggered', 'filled'].includes(look.said.state)
    ? String(look.said.order.oid)
    : null;
