import type { Entry } from '../../src/sandbox/ledger.ts';
import type { Stage } from './stage.ts';

/**
 * The venue's ledger compared with the recorded orders of this service. All from `forgotten` to `strange` must be 0.
 */
export type Audit = {
  orders: number;
  /** Intents by their final state. */
  states: Record<string, number>;
  /** The order was acknowledged to the caller, and the service has no record of it. */
  forgotten: number;
  /** Success was reported to the caller, and the ledger has no such order. */
  lost: number;
  /** The ledger has the order more than once. */
  doubled: number;
  /** No effect was reported to the caller, and there is one. */
  denied: number;
  /** The ledger has an order without a request. */
  strange: number;
  /**
   * The longest time from the first possible send to the effect: past the in-flight bound, absence would prove nothing.
   */
  latest_ms: number;
};

/** Joins the ledger with the intents on the order uuid; `taken`: the ids that the service acknowledged. */
export async function auditOrders({ rows, upstream }: Stage, taken: readonly string[] = []): Promise<Audit> {
  const intents = await rows<{ id: string; state: string; sent_ms: number | null }>(
    `select id, state, extract(epoch from sending_at)::float8 * 1000 as sent_ms from intents where kind = 'network/place'`,
  );
  const entries = upstream.ledger.entries().filter(({ kind }) => kind === 'market');
  const effects = countByKey(entries);
  const sentMs = new Map(intents.map(({ id, sent_ms }) => [id, sent_ms]));
  const known = new Set(intents.map(({ id }) => id));
  const count = (wrong: (state: string, effects: number) => boolean) =>
    intents.filter(({ id, state }) => wrong(state, effects.get(id) ?? 0)).length;
  return {
    orders: intents.length,
    states: Object.fromEntries(countBy(intents.map(({ state }) => state))),
    forgotten: taken.filter((id) => !known.has(id)).length,
    lost: count((state, done) => state === 'succeeded' && done === 0),
    doubled: [...effects.values()].filter((done) => done > 1).length,
    denied: count((state, done) => (state === 'failed' || state === 'expired') && done > 0),
    strange: [...effects.keys()].filter((key) => !known.has(key)).length,
    latest_ms: entries.reduce((most, { key, at }) => Math.max(most, Math.round(at - (sentMs.get(key) ?? at))), 0),
  };
}

const countByKey = (entries: Entry[]) => countBy(entries.map(({ key }) => key));

/** How often each name occurs. */
export function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** The value below which a share (0–1) of the values lies; 0 for none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
