import type { NetworkTruth, VenueOrder } from './network-truth.ts';
import type { SentSignal } from './network-wire.ts';

type Prices = { take_profit?: number | null; stop_loss?: number | null };
/** A verb that took effect, and what it asked for. `handle`: the network's name of the exits that it placed, changed or ended. */
export type Command = {
  id: string;
  kind: string;
  handle: string;
  sent: readonly SentSignal[];
  lifecycle: string | null;
  request: {
    terms?: Prices & { execution_type: string };
    protection?: Prices & { quantity?: number };
    changes?: Prices;
  };
};

/**
 * Whether an open position lacks exits that its trader's commands want of it: those that its orders carried, beside those of each tp-sl
 * of a part, or instead of all those of the last one of the whole. Exits that were executed or cancelled by their trader here are not wanted.
 */
export function isNaked(truth: NetworkTruth, pair: string, commands: readonly Command[]): boolean {
  const own = commands.filter(({ sent }) => sent.some(({ signal }) => signal.trade_pair === pair));
  const wanted = wantedIn(truth, pair, own);
  const live = new Map(truth.exitsIn(pair).map((exit) => [exit.order_uuid, exit]));
  return truth.heldIn(pair) !== 0 && [...wanted].some(([name, prices]) => !hasPrices(live.get(name), prices));
}

const hasPrices = (live: VenueOrder | undefined, { take_profit, stop_loss }: Prices): boolean =>
  live !== undefined && live.take_profit === (take_profit ?? null) && live.stop_loss === (stop_loss ?? null);

/** The exits that are wanted of the position that is open in a pair, by the names that the network gives them. */
function wantedIn(truth: NetworkTruth, pair: string, commands: readonly Command[]): Map<string, Prices> {
  const wanted = new Map<string, Prices>();
  const since = beginOf(truth, pair);
  const steps: { seq: number; take: () => void }[] = [];
  const at = (seq: number, take: () => void) => seq > since && steps.push({ seq, take });
  for (const { id, kind, handle, sent, lifecycle, request } of commands) {
    const seq = sent.flatMap(({ done }) => done)[0]?.seq ?? Number.POSITIVE_INFINITY;
    const { terms, protection, changes } = request;
    if (terms?.execution_type === 'BRACKET') at(seq, () => wanted.set(handle, terms));
    else if (kind === 'network/place')
      for (const { seq: filled, key } of truth.ofOrder(id).fills)
        at(filled, () => {
          for (const [n, prices] of carriedBy(truth.ofOrder(id).order).entries())
            wanted.set(`${key}-bracket-${n}`, prices);
        });
    if (protection)
      at(seq, () => {
        if (protection.quantity === undefined) wanted.clear();
        wanted.set(handle, protection);
      });
    if (changes) at(seq, () => wanted.has(handle) && wanted.set(handle, { ...wanted.get(handle), ...changes }));
    if (kind === 'network/cancel' && lifecycle === 'cancelled') at(seq, () => wanted.delete(handle));
  }
  for (const { seq, key, kind } of truth.fills) if (kind === 'fill') at(seq, () => wanted.delete(key));
  for (const { take } of steps.sort((a, b) => a.seq - b.seq)) take();
  return wanted;
}

/** The exits that an order carried: its entries win over its own prices. */
function carriedBy(order: VenueOrder | undefined): Prices[] {
  const { bracket_orders, stop_loss, take_profit } = order ?? {};
  return (
    bracket_orders ??
    (stop_loss || take_profit ? [{ stop_loss: stop_loss ?? null, take_profit: take_profit ?? null }] : [])
  );
}

/** The last entry of the ledger that left nothing open in a pair. */
function beginOf({ fills }: NetworkTruth, pair: string): number {
  let held = 0;
  let since = 0;
  for (const { seq, detail } of fills.filter((fill) => fill.pair === pair)) {
    held += Number(detail.quantity);
    if (Math.abs(held) < 1e-9) since = seq;
  }
  return since;
}
