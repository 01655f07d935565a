import { isNotReady, type NotReady } from '../../../intents/define.ts';
import { cloidOf, coinOf, dexOf } from '../../../kernel/exchange-names.ts';
import type { OwnerId, WalletAddress } from '../../../kernel/ids.ts';
import { absent, found, type ListResult, type ReadResult, unreadable } from '../../../kernel/upstream-result.ts';
import type { CallLimits } from '../adapter/action-types.ts';
import type { Exvenue, OrderNames as ListedOrder } from '../adapter/types.ts';
import { type ExchangeDeps, UNREACHABLE } from './calls.ts';
import { type OrderNames, resolveNames } from './cancel-names.ts';
import { type CancelTarget, closedResult } from './cancel-result.ts';
import { laneOf } from './follow-up.ts';
import { findResting, listRecordedResting, type NamedOrder, type RestingOrder } from './queries.ts';

/**
 * The orders to cancel, the reason why they could not be read, or the result if none is open. `unreadDexes`: builder
 * dexes whose orders could not be read.
 */
export type Targets = { targets: CancelTarget[]; unreadDexes: string[] } | NotReady | { done: Record<string, unknown> };

type Deps = Pick<ExchangeDeps, 'db' | 'exvenue' | 'config'>;

/** Cancellations go first, with all they need to read. */
const FIRST: CallLimits = { priority: 'exit' };

const READ_TOGETHER = 8; // a call waits a second for its turn, and others of the verb must not use that up

/** Open orders. `unreadDexes`: builder dexes whose orders could not be read. */
type Listed = { orders: ListedOrder[]; unreadDexes: string[] };

/** The open orders of a wallet on the venue's own dex and on the given builder dexes, asked side by side. */
export async function listOpen(
  exvenue: Exvenue,
  wallet: WalletAddress,
  dexes: readonly string[],
): Promise<ListResult<Listed>> {
  const names = [...new Set(['', ...dexes])];
  const results = await Promise.all(names.map((dex) => exvenue.openOrderNames(wallet, dex, FIRST)));
  const [mainDex] = results;
  if (mainDex?.kind === 'unreadable') return mainDex;
  return found({
    orders: results.flatMap((open) => (open.kind === 'found' ? open.data : [])),
    unreadDexes: names.filter((_, n) => results[n]?.kind === 'unreadable'),
  });
}

/**
 * All open orders of a wallet, wherever they were placed, with their exits. Reads may be behind, so whatever may rest by our
 * own records is cancelled with them: orders and exits of the last commands, exits whose order may have been filled, and
 * what is in doubt.
 */
export async function findAllTargets({ db, exvenue, config }: Deps, wallet: WalletAddress): Promise<Targets> {
  const recorded = await listRecordedResting(db, { wallet, lane: laneOf(wallet), lagMs: config.EXVENUE_READ_LAG_MS });
  const dexes = await exvenue.dexesWithOrders(wallet, FIRST);
  if (dexes.kind === 'unreadable') return UNREACHABLE;
  const open = await listOpen(exvenue, wallet, dexes.kind === 'found' ? dexes.data : []);
  if (open.kind !== 'found') return UNREACHABLE;
  const { orders, unreadDexes } = open.data;
  const children = orders.flatMap(({ coin, children }) =>
    children.map((oid) => ({ oid, cloid: null, coin, isListed: false })),
  );
  const waiting = new Set(children.map(({ oid }) => oid)); // listed at top level too; they end with their order
  const listed = orders
    .filter(({ oid }) => !waiting.has(oid))
    .map(({ oid, cloid, coin }) => ({ oid, cloid, coin, isListed: true }));
  const names = new Set([...listed, ...children].map(({ oid }) => oid));
  const cloids = new Set(orders.map(({ cloid }) => cloid));
  const unlisted = recorded.filter(({ oid, cloid }) => !cloids.has(cloid) && (oid === null || !names.has(oid)));
  return { targets: [...listed, ...children, ...unlisted.map(targetOf)], unreadDexes };
}

/** An order with a known number rests according to the venue's own response. */
const targetOf = ({ oid, cloid, pair }: RestingOrder): CancelTarget => ({
  oid,
  cloid,
  coin: coinOf(pair),
  isListed: oid !== null,
});

/**
 * The orders that can still be cancelled, or the result if there are none: all are closed or unknown. Reads may be behind,
 * so an order that is not found is cancelled nevertheless if it rests by our own records, or was placed; it is closed if it has ended by them. What is
 * named with its coin, by a follow-up, is cancelled also if it cannot be read: nobody would wait for it, and its lane would stand.
 */
export async function findTargets(
  deps: Deps,
  { owner, wallet }: { owner: OwnerId; wallet: WalletAddress },
  names: OrderNames,
): Promise<Targets> {
  const { db, exvenue } = deps;
  const named = await resolveNames(deps, { owner, wallet }, names);
  if (isNotReady(named)) return named;
  const { oids, known, closed } = named;
  const resting = oids.length > 0 ? await findResting(db, wallet, oids) : [];
  const recordedOf = (oid: number) => resting.find((candidate) => candidate.oid === oid);
  const orders: ReadResult<FoundOrder>[] = [];
  while (orders.length < oids.length) {
    const next = oids.slice(orders.length, orders.length + READ_TOGETHER);
    const read = next.map((oid) =>
      findNamed(exvenue, wallet, { oid, ours: known.get(oid), recorded: recordedOf(oid) }),
    );
    orders.push(...(await Promise.all(read)));
    if (!names.coin && orders.some(({ kind }) => kind === 'unreadable')) return UNREACHABLE;
  }
  const targets: CancelTarget[] = [];
  let lacksExits = false; // the record of an order does not always have those that it waits with
  for (const [n, oid] of oids.entries()) {
    const order = orders[n];
    const [recorded, ours] = [recordedOf(oid), known.get(oid)];
    if (order?.kind === 'found' && order.data.open) {
      const { open: _, ...target } = order.data;
      const isPartlyFilled = target.isPartlyFilled || ours?.status === 'partial'; // the venue's record shows it as it came to rest
      targets.push({ ...target, isPartlyFilled, isListed: true });
      lacksExits ||= target.exits.length === 0 && ours?.hasExits === true;
    } else if (order?.kind !== 'found' && recorded) {
      targets.push(targetOf(recorded));
      lacksExits ||= ours?.hasExits === true;
    } else if (order?.kind !== 'found' && names.coin)
      targets.push({ oid, cloid: null, coin: names.coin, isListed: false });
    else {
      const coin = order?.kind === 'found' ? order.data.coin : ours ? coinOf(ours.pair) : null;
      closed.push({ oid, orderId: ours?.name ?? null, coin });
    }
  }
  if (targets.length === 0) return { done: closedResult(closed) };
  return { targets: lacksExits ? await withExits(exvenue, wallet, targets) : targets, unreadDexes: [] };
}

/** Adds the exits that the list of open orders shows for targets: the record of an order does not always contain them. */
async function withExits(exvenue: Exvenue, wallet: WalletAddress, targets: CancelTarget[]): Promise<CancelTarget[]> {
  const open = await listOpen(
    exvenue,
    wallet,
    targets.map(({ coin }) => dexOf(coin)),
  );
  const children = new Map(open.kind === 'found' ? open.data.orders.map((order) => [order.oid, order.children]) : []);
  return targets.map((target) => ({
    ...target,
    exits: target.exits?.length ? target.exits : children.get(target.oid ?? 0),
  }));
}

/** An order that was found. `exits`: the numbers of its exits that wait for its fill. */
type FoundOrder = {
  oid: number;
  coin: string;
  cloid: string | null;
  open: boolean;
  exits: number[];
  isPartlyFilled: boolean;
};

/**
 * Finds an order or exit by its number. One that rests by our records and has ended was perhaps changed by other software: then it goes on under
 * another number and the same client order id.
 */
async function findNamed(
  exvenue: Exvenue,
  wallet: WalletAddress,
  { oid, ours, recorded }: { oid: number; ours: NamedOrder | undefined; recorded: RestingOrder | undefined },
): Promise<ReadResult<FoundOrder>> {
  const cloid = ours ? cloidOf(ours.id) : recorded?.cloid;
  const order = await findOrder(exvenue, wallet, oid, cloid);
  if (!cloid || !recorded || order.kind !== 'found' || order.data.open) return order;
  const next = await findOrder(exvenue, wallet, cloid);
  return next.kind === 'absent' ? order : next;
}

/** Finds an order by a name. The venue sometimes does not find an order that it lists as open, there also under its client order id. */
async function findOrder(
  exvenue: Exvenue,
  wallet: WalletAddress,
  name: number | string,
  listedAs: string | undefined = undefined,
): Promise<ReadResult<FoundOrder>> {
  const status = await exvenue.orderStatus(wallet, name, FIRST);
  if (status.kind === 'unreadable') return status;
  if (status.kind === 'found') {
    const { order, state } = status.data;
    const open = state === 'open' || state === 'triggered' || state === 'unknown';
    const exits = order.children.map((exit) => exit.oid);
    return found({
      oid: order.oid,
      coin: order.coin,
      cloid: order.cloid,
      open,
      exits,
      isPartlyFilled: order.size !== order.originalSize,
    });
  }
  const dexes = await exvenue.dexesWithOrders(wallet, FIRST);
  if (dexes.kind === 'unreadable') return dexes;
  const open = await listOpen(exvenue, wallet, dexes.kind === 'found' ? dexes.data : []);
  if (open.kind !== 'found') return open;
  const { orders, unreadDexes } = open.data;
  const order = orders.find(
    ({ oid, cloid }) => oid === name || (cloid !== null && (cloid === name || cloid === listedAs)),
  );
  if (order) {
    const { oid, coin, cloid, children: exits, isPartlyFilled } = order;
    return found({ oid, coin, cloid, open: true, exits, isPartlyFilled });
  }
  return unreadDexes.length > 0 ? unreadable(`the orders on ${unreadDexes.join(', ')}`) : absent;
}
