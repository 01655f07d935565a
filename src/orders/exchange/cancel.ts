import { z } from 'zod';
import type { Action, ItemResult } from '../../adapters/exchange/types.ts';
import { defineIntent, type Finding } from '../../intents/define.ts';
import { coinOf, dexOf } from '../../kernel/exchange-names.ts';
import type { IntentId, WalletAddress } from '../../kernel/ids.ts';
import { accepted, rejected, unknownEffect } from '../../kernel/upstream-result.ts';
import { type CancelTarget, cancelResult, isStillOpen, STILL_OPEN } from './cancel-result.ts';
import { findTargets, listOpen, type Targets } from './cancel-targets.ts';
import { ABSENT } from './evidence.ts';
import { followUp } from './follow-up.ts';
import { isNotReady, type NotReady, UNREACHABLE } from './not-ready.ts';
import { listDexesTraded, listRecentlyPlaced } from './queries.ts';
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

/** Cancels open orders of a wallet in batches: the given ones, or all that are open when the intent is executed. */
export const cancel = defineIntent({
  kind,
  retention: 'alone',
  request,
  payload: z.object({ ...signedMembers, targets: z.array(z.object({ oid: z.number(), coin: z.string() })) }),
  timing: exchangeTiming,

  async prepare({ id, owner, request: { wallet, oids } }, deps: ExchangeDeps) {
    if (oids === 'all') await endAllExits(deps, { id, wallet });
    const recent = await listRecent(deps, wallet);
    const open =
      oids === 'all' ? await findAll(wallet, deps, recent) : await findTargets(deps.exvenue, { wallet, oids }, recent);
    if (!('targets' in open)) return open;
    const actions = await cancelActions(open.targets, deps);
    if (isNotReady(actions)) return actions;
    const signed = await sign(deps, { owner, wallet }, actions);
    return isNotReady(signed) ? signed : { send: { ...signed, targets: open.targets } };
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
  async record({ intent, payload: { targets } }, response, { db }) {
    if (response.kind !== 'accepted') return recordOtherwise({ db }, intent, response);
    const { items } = response.data;
    const { wallet, because_of } = intent.request;
    const result = cancelResult(targets, items);
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

async function findAll(wallet: WalletAddress, { db, exvenue }: ExchangeDeps, recent: CancelTarget[]): Promise<Targets> {
  const open = await listOpen(exvenue, wallet, await listDexesTraded(db, wallet));
  if (open.kind !== 'found') return UNREACHABLE;
  const seen = open.data.map(({ oid, coin }) => ({ oid, coin }));
  const targets = [...seen, ...recent.filter(({ oid }) => !seen.some((order) => order.oid === oid))];
  return targets.length > 0 ? { targets } : { done: cancelResult([], []) };
}

async function cancelActions(targets: CancelTarget[], { exvenue }: ExchangeDeps): Promise<Action[] | NotReady> {
  const items: { asset: number; oid: number }[] = [];
  for (const { coin, oid } of targets) {
    const asset = await exvenue.asset(coin); // cached for minutes: one read serves all targets
    if (asset.kind !== 'found') return UNREACHABLE;
    items.push({ asset: asset.data.id, oid });
  }
  const actions: Action[] = [];
  for (let n = 0; n < items.length; n += exvenue.batchLimit) {
    actions.push({ kind: 'cancel', orders: items.slice(n, n + exvenue.batchLimit) });
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
  const oids = new Set(open.data.flatMap(({ oid, children }) => [oid, ...children.map((child) => child.oid)]));
  const left = targets.filter(({ oid }) => oids.has(oid));
  if (left.length === targets.length) return ABSENT;
  if (left.length > 0 && !expired) return unknownEffect('some orders are still open');
  const history = await exvenue.historicalOrders(account);
  if (history.kind !== 'found') return unknownEffect('the past orders could not be read');
  const filled = new Set(history.data.filter(({ state }) => state === 'filled').map(({ order }) => order.oid));
  return accepted({ items: targets.map(({ oid }) => endOf(oid, oids, filled)) });
}

const endOf = (oid: number, open: Set<number>, filled: Set<number>): ItemResult => {
  if (open.has(oid)) return STILL_OPEN;
  return filled.has(oid) ? FILLED : { kind: 'done' };
};

const FILLED = rejected('order_gone', 'The order was filled before it could be cancelled.');

/** A follow-up that never took effect does not fail: it succeeds with all its targets still open. */
const allStillOpen = (targets: CancelTarget[]) => accepted({ items: targets.map(() => STILL_OPEN) });
