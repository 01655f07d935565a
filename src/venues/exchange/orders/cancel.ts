import { z } from 'zod';
import type { NewIntent } from '../../../intents/accept.ts';
import { defineIntent, isNotReady } from '../../../intents/define.ts';
import { succeedAndSubmit } from '../../../intents/settle.ts';
import { cloidOf, intentIdOf } from '../../../kernel/exchange-names.ts';
import { type IntentId, idSchema, type OwnerId, type WalletAddress } from '../../../kernel/ids.ts';
import { submitUnasked } from '../../store.ts';
import type { Action } from '../adapter/action-types.ts';
import type { Exvenue } from '../adapter/types.ts';
import { sign, signedMembers, usableKey } from '../signing/sign.ts';
import { type ExchangeDeps, exitTiming, postAll, recordOtherwise, UNREACHABLE, walletMembers } from './calls.ts';
import { findCancelled } from './cancel-evidence.ts';
import { type CancelTarget, cancelResult, isStillOpen, type OrderIds } from './cancel-result.ts';
import { findAllTargets, findTargets } from './cancel-targets.ts';
import { followUp } from './follow-up.ts';
import { findResting, listOfWallet } from './queries.ts';
import { ALL_PAIRS, endExits, recordCancellation, releaseExits } from './store.ts';
import { findWanted } from './wanted.ts';

const kind = 'exchange/cancel';
const request = z.object({
  ...walletMembers,
  oids: z.union([z.array(z.number()), z.literal('all')]),
  order_ids: z.array(idSchema.order).optional(),
  /** The coin of all of them, of a follow-up. */
  coin: z.string().optional(),
});
const targets = z.array(
  z.object({
    oid: z.number().nullable(),
    cloid: z.string().nullable(),
    coin: z.string(),
    isListed: z.boolean(),
    exits: z.array(z.number()).optional(),
    isPartlyFilled: z.boolean().optional(),
    isOurs: z.boolean().optional(),
  }),
);

/**
 * Cancels open orders of a wallet in batches: the given ones, or all that are open when the intent is executed. Orders
 * that cannot be named to the venue do not keep the others open; the result names them.
 */
export const cancel = defineIntent({
  kind,
  retention: 'alone',
  claimed: 'to_prepare',
  isExit: true,
  request,
  payload: z.object({ ...signedMembers, targets, skipped: targets, unreadDexes: z.array(z.string()) }),
  timing: exitTiming,

  async prepare({ id, owner, request: { wallet, oids, order_ids = [], coin } }, deps: ExchangeDeps) {
    const { exvenue } = deps;
    const open =
      oids === 'all'
        ? await findAllTargets(deps, wallet)
        : await findTargets(deps, { owner, wallet }, { oids, orderIds: order_ids, coin });
    if (!('targets' in open)) return open;
    const { unreadDexes } = open;
    const { named, skipped, isUnread } = await nameAll(open.targets, exvenue);
    if (named.length === 0 && isUnread) return UNREACHABLE;
    if (named.length === 0) {
      const key = oids === 'all' ? await usableKey(deps, { owner, wallet }) : null;
      if (key && isNotReady(key)) return key;
      if (key && !key.verified) return UNREACHABLE; // nothing is sent that would show whether it may
      if (key) await endAllExits(deps, { id, wallet });
      return { done: cancelResult([], [], { skipped, unreadDexes }) };
    }
    const actions = cancelActions(await withNames(deps.db, wallet, named), exvenue.batchLimit);
    const signed = await sign(
      deps,
      { owner, wallet },
      actions.map(({ action }) => action),
    );
    if (isNotReady(signed)) return signed;
    const targets = actions.flatMap(({ orders }) => orders.map(({ asset: _, ...target }) => target));
    return { send: { ...signed, targets, skipped, unreadDexes } };
  },

  send: ({ payload }, deps, limits) => postAll(deps, payload, limits),

  reconcile: findCancelled,

  /** A follow-up has no caller to retry it. Orders that are still open are cancelled by another follow-up intent. */
  async record({ intent, payload: { targets, ...passedOver } }, response, { db }) {
    if (response.kind !== 'accepted') return recordOtherwise({ db }, intent, response);
    const { items } = response.data;
    const { id, request } = intent;
    const { wallet, because_of } = request;
    if (request.oids === 'all') {
      await endAllExits({ db }, { id, wallet });
      await cancelArrived(db, intent, targets);
    }
    const ours = await findOurs(db, wallet, targets);
    const result = cancelResult(targets, items, passedOver, idsOf(ours, intent.owner));
    const left = targets.filter((_, n) => isStillOpen(items[n]));
    const oids = left.flatMap(({ oid }) => oid ?? []);
    const [open] = left;
    const cancelled = result.results
      .filter(({ status }) => status === 'cancelled')
      .flatMap(({ ex_order_id }) => ex_order_id ?? []);
    if (because_of === undefined)
      await releaseExits(db, { id, wallet }, cancelled, await findWanted(db, wallet, cloidsOf(targets, cancelled)));
    return because_of !== undefined && open && oids.length > 0
      ? succeedAndSubmit(db, intent, result, cancelNext(intent, { wallet, oids, coin: open.coin }))
      : recordCancellation(db, intent, result, recordedAs(ours, cancelled));
  },
});

/** The client order ids of the targets that were cancelled, as far as they are known. */
const cloidsOf = (targets: CancelTarget[], cancelled: string[]): Set<string> =>
  new Set(targets.flatMap(({ oid, cloid }) => (cloid !== null && cancelled.includes(String(oid)) ? cloid : [])));

type Ours = Awaited<ReturnType<typeof listOfWallet>>[number];

/** The orders of this service among the targets, by the numbers of these: an order that other software has changed is known by its client order id. */
async function findOurs(
  db: ExchangeDeps['db'],
  wallet: WalletAddress,
  targets: CancelTarget[],
): Promise<Map<number, Ours>> {
  const orders = await listOfWallet(db, wallet, {
    oids: targets.flatMap(({ oid }) => oid ?? []),
    ids: targets.flatMap(({ cloid }) => (cloid === null ? [] : intentIdOf(cloid))),
  });
  const byName = new Map(orders.flatMap((order) => [[order.oid, order] as const, [cloidOf(order.id), order] as const]));
  return new Map(
    targets.flatMap(({ oid, cloid }) => {
      const order = byName.get(String(oid)) ?? byName.get(cloid);
      return oid !== null && order ? [[oid, order] as const] : [];
    }),
  );
}

/** Their owner's names of the targets that were placed through this service. */
const idsOf = (ours: ReadonlyMap<number, Ours>, owner: OwnerId): OrderIds =>
  new Map([...ours].flatMap(([oid, order]) => (order.owner === owner ? [[oid, order.name] as const] : [])));

/** The numbers by which our records know the cancelled orders. */
const recordedAs = (ours: ReadonlyMap<number, Ours>, cancelled: readonly string[]): string[] =>
  cancelled.map((oid) => {
    const order = ours.get(Number(oid));
    return (order?.isResting && order.oid) || oid;
  });

/**
 * The intent that cancels orders of ours in one coin, because of another one. They were placed, so they are cancelled although reads may not show
 * them yet.
 */
export const cancelNext = (
  cause: Parameters<typeof followUp>[0],
  members: { wallet: WalletAddress; oids: number[]; coin: string },
): NewIntent => followUp(cause, { kind, request }, members);

/**
 * Exits of every pair end with a cancellation of all orders, also those that it could not name. Decided before the intent
 * ends, which is safe to repeat: nothing is placed again for an order that was accepted before this command.
 */
const endAllExits = ({ db }: Pick<ExchangeDeps, 'db'>, command: { id: IntentId; wallet: WalletAddress }) =>
  endExits(db, { ...command, pair: ALL_PAIRS });

/**
 * Cancels orders that were in doubt when all were named, and that arrived only after that: those that were found to rest before the end of all exits
 * was recorded. What is found later sees that, and is cancelled by its placement.
 */
async function cancelArrived(
  db: ExchangeDeps['db'],
  intent: { id: IntentId; owner: OwnerId; request: { wallet: WalletAddress } },
  targets: CancelTarget[],
): Promise<void> {
  const { wallet } = intent.request;
  const coins = new Map(targets.flatMap(({ oid, cloid, coin }) => (oid === null ? [[cloid, coin] as const] : [])));
  const ids = [...coins.keys()].flatMap((cloid) => (cloid === null ? [] : intentIdOf(cloid)));
  const resting = (await listOfWallet(db, wallet, { oids: [], ids })).filter(({ isResting }) => isResting);
  const arrived = resting.flatMap(({ id, oid }) =>
    oid === null ? [] : [{ coin: coins.get(cloidOf(id)) ?? '', oid: Number(oid) }],
  );
  for (const [coin, orders] of Map.groupBy(arrived, (order) => order.coin))
    await submitUnasked(db, cancelNext(intent, { wallet, oids: orders.map(({ oid }) => oid), coin }));
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

/** The targets, those that are orders of this service or exits of them with their client order ids. */
async function withNames(db: ExchangeDeps['db'], wallet: WalletAddress, targets: NamedTarget[]) {
  const oids = targets.flatMap(({ oid }) => oid ?? []);
  const [ours, resting] = await Promise.all([findOurs(db, wallet, targets), findResting(db, wallet, oids)]);
  const names = new Map(resting.map(({ oid, cloid }) => [oid, cloid]));
  return targets.map((target): NamedTarget => {
    const order = ours.get(target.oid ?? 0);
    const cloid = order ? cloidOf(order.id) : names.get(target.oid);
    return cloid === undefined ? target : { ...target, cloid, isOurs: true };
  });
}

/** The actions that cancel the targets, by number where it is known and may be no other one by now: the exits of an order after the order. */
function cancelActions(targets: NamedTarget[], batchLimit: number): { action: Action; orders: NamedTarget[] }[] {
  const ours = targets.filter(({ isOurs }) => isOurs);
  const others = targets.filter(({ isOurs }) => !isOurs);
  const byName = (orders: NamedTarget[]) => ({
    action: {
      kind: 'cancel_by_cloid' as const,
      orders: orders.map(({ asset, cloid }) => ({ asset, cloid: String(cloid) })),
    },
    orders,
  });
  const byNumber = (orders: NamedTarget[]) => ({
    action: { kind: 'cancel' as const, orders: orders.map(({ asset, oid }) => ({ asset, oid: Number(oid) })) },
    orders,
  });
  const numbered = others.filter(({ oid }) => oid !== null);
  const unnumbered = others.filter(({ oid }) => oid === null);
  return [
    ...batches(ours, batchLimit).map(byName),
    ...batches(numbered, batchLimit).map(byNumber),
    ...batches(unnumbered, batchLimit).map(byName),
  ];
}

const batches = <T>(list: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));
