import { LRUCache } from 'lru-cache';
import { hurryDoubt } from '../../../../intents/reconcile.ts';
import { fairLimit } from '../../../../kernel/concurrency.ts';
import { cloidOf, legCloid } from '../../../../kernel/exchange-names.ts';
import { hasEnded, mayGoOn } from '../../../../kernel/exchange-order-state.ts';
import type { IntentId, WalletAddress } from '../../../../kernel/ids.ts';
import type { OrderRecord, OrderUpdate } from '../../adapter/types.ts';
import { filledSizeOf, isChanged } from '../../filled.ts';
import { type EndedParent, isCancelledByCommand } from '../../orders/exit-outcome.ts';
import type { RecordedExchangeOrder } from '../../orders/queries.ts';
import { timeInForceOf } from '../../orders/rules.ts';
import { settleExits } from '../../orders/waiting-exits.ts';
import type { LedgerDeps } from '../read-orders.ts';
import { type EndedOrder, readSoon, recordStreamed } from '../store.ts';
import { findStreamedOrder, listNames } from './queries.ts';

/** News of our orders from the stream. */
type StreamedOrders = {
  /** Stores, for all processes, the news of our orders and exits of these wallets. */
  take(updates: readonly OrderUpdate[], wallets: readonly WalletAddress[]): Promise<void>;
  /** The wallets with conclusions that are due. */
  due(): WalletAddress[];
  /**
   * Records what follows for some orders of a wallet: their ends, and what happens to their exits. Orders that ended before they were filled come
   * first, because their position may be without exits. Resolves to whether more are due.
   */
  conclude(wallet: WalletAddress): Promise<boolean>;
  /** Notes that executions of a wallet were recorded, which conclusions may have waited for. */
  hurry(wallet: WalletAddress): void;
};

/** A conclusion waits for the record of a placement, for executions, or for news of exits; after this many attempts it is left to reads. */
const MOST_LOOKS = 10;
const LOOK_AGAIN_MS = 400;
/** How many conclusions are drawn at once, per wallet and in all, so that a wallet that waits for a lock does not delay the others. */
const AT_ONCE = { ofWallet: 4, inAll: 8 };
const MOST_REMEMBERED = 20_000;

/** `isOpen`: its verb had not ended when its name was looked up. */
type Named = { id: IntentId; wallet: WalletAddress; isOpen: boolean };
type Open = { wallet: WalletAddress; looks: number; dueMs: number };

/** Collects the news of our orders and concludes from them. */
export function streamedOrders(deps: LedgerDeps): StreamedOrders {
  const { db, exvenue } = deps;
  const latest = new LRUCache<string, OrderRecord>({ max: MOST_REMEMBERED });
  const names = new LRUCache<string, Named>({ max: MOST_REMEMBERED });
  const open = new Map<IntentId, Open>();
  const looking = fairLimit(AT_ONCE.inAll, Number.POSITIVE_INFINITY);

  /** Names are looked up again for ids that nobody knows: ours are stored before they are sent. */
  async function learnNames(cloids: readonly string[], wallets: readonly WalletAddress[]): Promise<void> {
    if (cloids.every((cloid) => names.has(cloid))) return;
    for (const { targets, ...named } of await listNames(db, wallets)) {
      for (const cloid of targets) names.set(cloid, named);
      if (names.has(cloidOf(named.id))) continue;
      for (const cloid of [cloidOf(named.id), legCloid(named.id, 'tp'), legCloid(named.id, 'sl')])
        names.set(cloid, named);
    }
  }

  /** Resolves to whether there is nothing left to wait for. */
  async function concludeOne(id: IntentId): Promise<boolean> {
    const update = latest.get(cloidOf(id));
    let order = await findStreamedOrder(db, id);
    if (!order?.lifecycle) await hurryDoubt(db, id);
    if (!order) return true;
    if (order.lifecycle === null) return false;
    const parent = update && endOf(order.terms, update);
    if (order.is_resting) {
      await recordStreamed(db, order.trader, [], parent ? endedBy(order, parent) : []);
      order = await findStreamedOrder(db, id);
    }
    if (!parent || !order) return true;
    if (order.is_resting && mayGoOn(parent)) return readSoon(db, order.trader).then(() => true);
    if (order.is_resting) return false;
    if (!order.waits) return true;
    await settleExits(deps, order, parent);
    return (await findStreamedOrder(db, id))?.waits !== true;
  }

  async function look([id, one]: [IntentId, Open]): Promise<void> {
    let isDone = false;
    try {
      isDone = await concludeOne(id);
    } finally {
      const isNewest = open.get(id) === one; // else a newer update of it arrived meanwhile
      if (isNewest && (isDone || one.looks >= MOST_LOOKS)) open.delete(id);
      else if (isNewest) open.set(id, { ...one, looks: one.looks + 1, dueMs: performance.now() + LOOK_AGAIN_MS });
    }
  }

  const listDue = (): [IntentId, Open][] => [...open].filter(([, { dueMs }]) => dueMs <= performance.now());

  /** Whether an order has ended before it was filled. */
  function endedEarly(id: IntentId): boolean {
    const update = latest.get(cloidOf(id));
    return update !== undefined && hasEnded(update) && update.state !== 'filled';
  }

  /** Those that ended early first, then those that have waited longest. */
  const byUrgency = ([a, { dueMs: aMs }]: [IntentId, Open], [b, { dueMs: bMs }]: [IntentId, Open]): number =>
    Number(endedEarly(b)) - Number(endedEarly(a)) || aMs - bMs;

  return {
    async take(updates, wallets) {
      const named = updates.flatMap((update) =>
        update.record.order.cloid === null ? [] : [{ cloid: update.record.order.cloid, update }],
      );
      if (named.length === 0) return;
      await learnNames(
        named.map(({ cloid }) => cloid),
        wallets,
      );
      const newest = new Map<string, number>(); // of each client order id: what it has replaced says nothing
      for (const { cloid, update } of named)
        newest.set(cloid, Math.max(update.record.order.oid, newest.get(cloid) ?? 0));
      for (const { cloid, update } of named) {
        const ours = names.get(cloid);
        if (!ours || update.record.order.oid !== newest.get(cloid) || !isNews(update, ours)) continue;
        const isLatest = await exvenue.updates.keep(cloid, update);
        if (!isLatest && latest.has(cloid)) continue; // else another process has stored it but may have stopped before it concluded
        latest.set(cloid, (isLatest ? null : await exvenue.updates.find(cloid)) ?? update.record);
        open.set(ours.id, { wallet: ours.wallet, looks: 0, dueMs: 0 });
      }
    },
    due: () => [...new Set(listDue().map(([, { wallet }]) => wallet))],
    async conclude(wallet) {
      const due = listDue().filter(([, one]) => one.wallet === wallet);
      const first = due.sort(byUrgency).slice(0, AT_ONCE.ofWallet);
      const looked = await Promise.allSettled(first.map((one) => looking.run(wallet, () => look(one))));
      for (const one of looked) if (one.status === 'rejected') throw one.reason; // after all others had their turn
      return due.length > first.length;
    },
    hurry(wallet) {
      for (const [id, one] of open) if (one.wallet === wallet) open.set(id, { ...one, dueMs: 0 });
    },
  };
}

/**
 * An order that ended before it was filled, as an ended order. Empty if the exchange may have shrunk it or its trader may have changed it: reads
 * decide then.
 */
function endedBy({ id, terms, executed }: RecordedExchangeOrder, parent: EndedParent): EndedOrder[] {
  const number = parent.order.oid;
  if (isChanged(number, executed) || mayGoOn(parent)) return [];
  const filled_size = filledSizeOf({ ...parent.order, reduceOnly: terms.reduce_only }, parent.state);
  if (parent.state === 'filled' || filled_size === null) return [];
  return [{ id, number: String(number), filled_size, by_command: isCancelledByCommand(parent), is_filled: false }];
}

/** In the history, which may be long, an order that rests as it was placed is news only of its placement. */
const isNews = ({ isPast, record: { state, order } }: OrderUpdate, { isOpen }: Named): boolean =>
  !isPast || isOpen || state !== 'open' || order.size !== order.originalSize;

/** The record of an ended order, with those terms that the stream leaves out; null while it has not ended. */
const endOf = (terms: Parameters<typeof timeInForceOf>[0], record: OrderRecord): EndedParent | null =>
  hasEnded(record) ? { ...record, order: { ...record.order, timeInForce: timeInForceOf(terms) } } : null;
