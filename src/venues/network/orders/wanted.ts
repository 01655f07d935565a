import { ofNumber } from '../../../kernel/decimals.ts';
import type { Exits, NewExits } from '../../exits.ts';
import type { Bracket, Executed, TrailingStop } from '../adapter/signal-types.ts';
import type { DashboardOrder } from '../adapter/types.ts';
import type { Lifecycle } from './outcome.ts';
import type { Terms } from './rules.ts';

/**
 * The exits that an order wants of its position in this state: those it carries, from its fill on (before it, they wait), or
 * those it is, until it was executed or withdrawn. The network may cancel exits by itself; they are wanted all the same. An order that
 * rests without any has an entry without prices, so that its end is looked for.
 */
export function exitsAfter(
  terms: Terms,
  lifecycle: Lifecycle,
  executed: Pick<Executed, 'quantity'> | null,
): NewExits[] {
  const isExit = terms.execution_type === 'BRACKET';
  if (isExit) return lifecycle === 'filled' ? [] : exitsOf(terms, null);
  if (lifecycle === 'cancelled' || lifecycle === 'ended') return [];
  const exits = exitsOf(terms, executed?.quantity ?? null);
  if (lifecycle === 'filled') return exits;
  return (exits.length > 0 ? exits : [NO_EXITS]).map((entry) => ({ ...entry, waits: true as const }));
}

/** The entry of an order that may be filled once more: it wants nothing, and is looked at until that is over. */
export const watchEntry = (): NewExits => ({ ...NO_EXITS, waits: true });

const NO_EXITS: Exits = { take_profit: null, stop_loss: null, trailing_stop: null, size: null };

/** The exits among an order's terms. Entries win over its own prices, as at the network. `filled`: the size of its fill, if known. */
function exitsOf(terms: Terms, filled: number | null): Exits[] {
  const whole = decimal(filled ?? (terms.execution_type === 'BRACKET' ? (terms.quantity ?? null) : null));
  if (terms.bracket_orders)
    return terms.bracket_orders.map((entry) => ({
      ...pricesOf(entry),
      trailing_stop: trailingStopOf(entry),
      size: entry.quantity === undefined ? whole : decimal(entry.quantity),
    }));
  const { stop_loss, take_profit, trailing_stop } = terms;
  if (stop_loss === undefined && take_profit === undefined && trailing_stop === undefined) return [];
  return [{ ...pricesOf(terms), trailing_stop: trailing_stop ?? null, size: whole }];
}

const pricesOf = ({ stop_loss, take_profit }: { stop_loss?: number; take_profit?: number }) => ({
  take_profit: decimal(take_profit ?? null),
  stop_loss: decimal(stop_loss ?? null),
});

/** The trailing stop of an entry of a signal; null without one. */
export const trailingStopOf = ({ trailing_percent, trailing_value }: Bracket): TrailingStop | null => {
  if (trailing_percent !== undefined) return { trailing_percent };
  return trailing_value === undefined ? null : { trailing_value };
};

/** The exits that an order of the network is. */
export const liveExits = ({ takeProfit, stopLoss, trailingStop, quantity }: DashboardOrder): Exits => ({
  take_profit: decimal(takeProfit),
  stop_loss: decimal(stopLoss),
  trailing_stop: trailingStop,
  size: decimal(quantity),
});

/** A number of the network without its sign, as a decimal. */
const decimal = (value: number | null): string | null => (value === null ? null : ofNumber(Math.abs(value)));
