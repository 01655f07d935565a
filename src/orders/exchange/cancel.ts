import { z } from 'zod';
import type { Action, Exvenue, ItemResult, OrderRecord } from '../../adapters/exchange/types.ts';
import { defineIntent, type Finding } from '../../intents/define.ts';
import { coinOf, dexOf } from '../../kernel/exchange-names.ts';
import type { IntentId, WalletAddress } from '../../kernel/ids.ts';
import { accepted, rejected, unknownEffect } from '../../kernel/upstream-result.ts';
import { type CancelTarget, cancelResult, isStillOpen, STILL_OPEN } from './cancel-result.ts';
import { findAllTargets, findTargets, listOpen } from './cancel-targets.ts';
import { ABSENT } from './evidence.ts';
import { followUp } from './follow-up.ts';
import { isNotReady, UNREACHABLE } from './not-ready.ts';
import { listRecentlyPlaced } from './queries.ts';
import { sign, signedMembers } from './signing.ts';
import { ALL_PAIRS, decideExits, recordCancellation, releaseExits, succeedAndFollow } from './store.ts';
import {
  type ExchangeDeps,
  exchangeTiming,
  hasExpired,
  postAll,
  reconcileOrBurn,
  recordOtherwise,
  walletMembers,
} from './verb.ts';

type Cancelled = { items: ItemResult[] };

const kind = 'orders/exvenue/cancel';
const request = z.object({ ...walletMembers, oids: z.union([z.array(z.number()), z.literal('all')]) });
const targets = z.array(z.object({ oid: z.number(), coin: z.string() }));

/**
 * Cancels open orders of a wallet in batches: the given ones, or all that are open when the intent is executed. Orders
 * that cannot be named to the venue do not keep the others open; the result names them.
 */
export const cancel = defineIntent({
  kind,
  retention: 'alone',
  request,
  payload: z.object({ ...signedMembers, targets, skipped: targets, unreadDexes: z.array(z.string()) }),
  timing: exchangeTiming,

  async prepare({ id, owner, request: { wallet, oids } }, deps: ExchangeDeps) {
    const { exvenue } = deps;
    if (oids === 'all') await endAllExits(deps, { id, wallet });
    const recent = await listRecent(deps, wallet);
    const open =
      oids === 'all'
        ? await findAllTargets(exvenue, wallet, recent)
        : await findTargets(exvenue, { wallet, oids }, recent);
    if (!('targets' in open)) return open;
    const { unreadDexes } = open;
    const { named, skipped, isUnread } = await nameAll(open.targets, exvenue);
    if (named.length === 0 && isUnread) return UNREACHABLE;
    if (named.length === 0) return { done: cancelResult([], [], { skipped, unreadDexes }) };
    const signed = await sign(deps, { owner, wallet }, cancelActions(named, exvenue.batchLimit));
    if (isNotReady(signed)) return signed;
    return { send: { ...signed, targets: named.map(({ oid, coin }) => ({ oid, coin })), skipped, unreadDexes } };
  },

  send: ({ payload }, deps, limits) => postAll(deps, payload, limits),

  reconcile: (sent, deps) =>
    reconcileOrBurn(sent, deps, async () => {
      const { intent, payload } = sent;
      const expired = hasExpired(intent, deps);
      const finding = await findCancelled({ ...payload, expired }, deps);
      const isFollowUp = intent.request.because_of !== undefined;
      return finding.kind === 'absent' && expired && isFollowUp ? allStillOpen(payload.targets) : finding;
    }),

  /** A follow-up has no caller to retry it. Orders that are still open are cancelled by another follow-up intent. */
  async record({ intent, payload: { targets, ...passedOver } }, response, { db }) {
    if (response.kind !== 'accepted') return recordOtherwise({ db }, intent, response);
    const { items } = response.data;
    const { wallet, because_of } = intent.request;
    const result = cancelResult(targets, items, passedOver);
    const oids = targets.filter((_, n) => isStillOpen(items[n])).map(({ oid }) => oid);
    const cancelled = result.results.filter(({ status }) => status === 'cancelled').map(({ order_id }) => order_id);
    if (because_of === undefined) await releaseExits(db, { id: intent.id, wallet }, cancelled);
    return because_of !== undefined && oids.length > 0
      ? succeedAndFollow(db, intent, result, followUp(intent, { kind, request }, { wallet, oids }))
      : recordCancellation(db, intent, result);
  },
});

/**
 * Exits of every pair end with a cancellation of all orders, also those that its read of the open orders misses. Decided
 * before the read: nothing is placed again for an order after this command was executed.
 */
const endAllExits = ({ db }: ExchangeDeps, command: { id: IntentId; wallet: WalletAddress }) =>
  decideExits(db, { ...command, pair: ALL_PAIRS }, { tp: null, sl: null });

/** What was placed within the last minute, also where reads do not show it yet. */
async function listRecent({ db }: ExchangeDeps, wallet: WalletAddress): Promise<CancelTarget[]> {
  const placed = await listRecentlyPlaced(db, wallet);
  return placed.map(({ oid, pair }) => ({ oid: Number(oid), coin: coinOf(pair) }));
}

type NamedTarget = CancelTarget & { asset: number };

/** Finds the numbers of the targets' assets. `skipped`: targets whose asset the venue does not list or describe. */
async function nameAll(
  targets: CancelTarget[],
  exvenue: Exvenue,
): Promise<{ named: NamedTarget[]; skipped: CancelTarget[]; isUnread: boolean }> {
  const named: NamedTarget[] = [];
  const skipped: CancelTarget[] = [];
  let isUnread = false;
  for (const target of targets) {
    const id = await exvenue.assetId(target.coin); // cached for minutes: one read serves all targets
    if (id.kind === 'found') named.push({ ...target, asset: id.data });
    else skipped.push(target);
    isUnread ||= id.kind === 'unreadable';
  }
  return { named, skipped, isUnread };
}

function cancelActions(targets: NamedTarget[], batchLimit: number): Action[] {
  const orders = targets.map(({ asset, oid }) => ({ asset, oid }));
  const actions: Action[] = [];
  for (let n = 0; n < orders.length; n += batchLimit) {
    actions.push({ kind: 'cancel', orders: orders.slice(n, n + batchLimit) });
  }
  return actions;
}

type CancelSearch = { account: string; targets: CancelTarget[]; expired: boolean };

/**
 * Finds which targets are still open. The others count as cancelled, unless the venue reports that they were filled. If
 * all targets are open, the cancellation is `absent`. If only some are open, they count as failed after expiry; before
 * it, the effect is unknown.
 */
async function findCancelled(
  { account, targets, expired }: CancelSearch,
  { exvenue }: ExchangeDeps,
): Promise<Finding<Cancelled>> {
  const dexes = targets.map(({ coin }) => dexOf(coin));
  const open = await listOpen(exvenue, account, dexes);
  if (open.kind !== 'found') return unknownEffect('the open orders could not be read');
  if (open.data.unreadDexes.length > 0) return unknownEffect('the open orders of a dex could not be read');
  const oids = new Set(open.data.orders.flatMap(({ oid, children }) => [oid, ...children]));
  const left = targets.filter(({ oid }) => oids.has(oid));
  if (left.length === targets.length) return ABSENT;
  if (left.length > 0 && !expired) return unknownEffect('some orders are still open');
  const ended = await findEnded(
    exvenue,
    account,
    targets.filter(({ oid }) => !oids.has(oid)),
  );
  if (!ended) return unknownEffect('the past orders could not be read');
  return accepted({ items: targets.map(({ oid }) => endOf(oid, oids, ended)) });
}

/** How many orders are cheaper to read one by one than in the history. */
const ONE_BY_ONE = 10;

/** The numbers of the orders among `targets` that were filled. Null if that cannot be read. */
async function findEnded(exvenue: Exvenue, account: string, targets: CancelTarget[]): Promise<Set<number> | null> {
  const records: OrderRecord[] = [];
  if (targets.length > ONE_BY_ONE) {
    const history = await exvenue.historicalOrders(account, { priority: 'cancel' });
    if (history.kind !== 'found') return null;
    records.push(...history.data);
  }
  const read = new Set(records.map(({ order }) => order.oid));
  for (const { oid } of targets.filter((target) => !read.has(target.oid))) {
    const status = await exvenue.orderStatus(account, oid, { priority: 'cancel' });
    if (status.kind === 'unreadable') return null;
    if (status.kind === 'found') records.push(status.data);
  }
  return new Set(records.filter(({ state }) => state === 'filled').map(({ order }) => order.oid));
}

const endOf = (oid: number, open: Set<number>, filled: Set<number>): ItemResult => {
  if (open.has(oid)) return STILL_OPEN;
  return filled.has(oid) ? FILLED : { kind: 'done' };
};

const FILLED = rejected('order_gone', 'The order was filled before it could be cancelled.');

/** A follow-up that never took effect does not fail: it succeeds with all its targets still open. */
const allStillOpen = (targets: CancelTarget[]) => accepted({ items: targets.map(() => STILL_OPEN) });
