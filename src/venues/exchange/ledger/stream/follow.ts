import type { Logger } from 'pino';
import { MOST_FOLLOWED } from '../../../../capacity/exchange.ts';
import type { WalletAddress } from '../../../../kernel/ids.ts';
import type { SharedSlots } from '../../../../kernel/shared-upstream.ts';
import type { StreamListener, UserStream } from '../../adapter/stream-types.ts';
import type { OrderUpdate } from '../../adapter/types.ts';
import type { LedgerDeps } from '../read-orders.ts';
import { readSoon } from '../store.ts';
import { chooseWallets } from './choose.ts';
import { streamedFills } from './fills.ts';
import { streamedOrders } from './orders.ts';
import { listCandidates } from './queries.ts';

/** The dependencies of `followWallets`. `slot`: held by the one process that follows the stream. */
type FollowDeps = LedgerDeps & {
  openStream(listener: StreamListener): UserStream;
  slot: SharedSlots;
  log: Pick<Logger, 'info' | 'warn'>;
};

const TURN_MS = 400;
/** The slot of a killed process is free after this. */
const LEASE_MS = 1_500;
/** How often wallets are chosen again. */
const CHOICE_MS = 1_000;

/**
 * Follows the most urgent wallets on the exchange's stream, in one of all processes. It records the same as reads would, only earlier. A followed
 * wallet is read once when its stream begins, and otherwise as often as any other.
 */
export function followWallets(deps: FollowDeps): { stop(): Promise<void> } {
  const { db, slot, log } = deps;
  const fills = streamedFills(deps);
  const orders = streamedOrders(deps);
  let lease: { name: string; untilMs: number } | null = null;
  let stream: UserStream | null = null;
  let followed: WalletAddress[] = [];
  let arrived: OrderUpdate[] = [];
  let isStopped = false;
  let isDue = false;
  let hasFailed = false;
  let taking: Promise<void> | null = null;
  /** The recording in progress of each wallet. Wallets are recorded separately, so one that waits for a lock delays no other. */
  const recording = new Map<WalletAddress, Promise<void>>();
  const hasMore = new Set<WalletAddress>();
  let timer: NodeJS.Timeout | undefined;
  let chosenMs = 0;

  const listener: StreamListener = {
    onOrders(updates) {
      arrived.push(...updates);
      record();
    },
    onFills(wallet, executed) {
      if (executed) fills.take(wallet, executed);
      else read(wallet);
      record();
    },
    onFollowed: read,
    onLost: (why) => log.warn({ why }, 'the stream of the exchange was lost'),
    onError: (text) => log.warn({ text }, 'the stream of the exchange rejected a request'),
  };

  function read(wallet: WalletAddress): void {
    readSoon(db, wallet).catch(warn); // it is due again anyway
  }

  /** Takes the updates that have arrived, again if more arrive meanwhile, and starts recording what is due. */
  function record(): void {
    isDue = true;
    taking ??= takeAll().finally(() => {
      taking = null;
    });
  }

  async function takeAll(): Promise<void> {
    while (isDue) {
      isDue = false;
      fills.wallets().forEach(recordOf);
      await takeArrived();
      orders.due().forEach(recordOf);
    }
  }

  /** Updates that could not be taken are tried once more, in the next turn. */
  async function takeArrived(): Promise<void> {
    const updates = arrived;
    arrived = [];
    try {
      await orders.take(updates, followed);
      hasFailed = false;
    } catch (err) {
      warn(err);
      if (!hasFailed) arrived = [...updates, ...arrived]; // after a second failure the wallets are polled like all others
      hasFailed = !hasFailed;
    }
  }

  /** Records the news of a wallet, again if more arrive meanwhile. What could not be recorded is tried again in the next turn. */
  function recordOf(wallet: WalletAddress): void {
    hasMore.add(wallet);
    if (recording.has(wallet)) return;
    const recorded = recordAll(wallet)
      .catch(warn)
      .finally(() => recording.delete(wallet));
    recording.set(wallet, recorded);
  }

  async function recordAll(wallet: WalletAddress): Promise<void> {
    while (hasMore.delete(wallet)) {
      if (await fills.record(wallet)) orders.hurry(wallet);
      if (await orders.conclude(wallet)) hasMore.add(wallet);
    }
  }

  async function turn(): Promise<void> {
    try {
      if (await holdsPlace()) await choose();
      else leave();
    } catch (err) {
      warn(err);
      if (lease && performance.now() >= lease.untilMs) leave();
    }
    if (isStopped) return;
    timer = setTimeout(() => {
      turning = turn();
    }, TURN_MS);
  }

  /** Whether this process has the slot. A hold that took longer than the lease may have come too late. */
  async function holdsPlace(): Promise<boolean> {
    const startedMs = performance.now();
    const until = { untilMs: startedMs + LEASE_MS };
    if (lease && startedMs < lease.untilMs) {
      const isHeld = await slot.hold(lease.name, LEASE_MS);
      lease = isHeld && performance.now() < lease.untilMs ? { ...lease, ...until } : null;
    } else {
      const name = await slot.take(LEASE_MS);
      lease = name === null ? null : { name, ...until };
    }
    return lease !== null;
  }

  async function choose(): Promise<void> {
    record(); // what waits may be due
    if (performance.now() - chosenMs < CHOICE_MS) return;
    chosenMs = performance.now();
    const next = chooseWallets(await listCandidates(db), followed, MOST_FOLLOWED);
    if (isStopped) return;
    if (next.length !== followed.length || next.some((wallet) => !followed.includes(wallet)))
      log.info({ wallets: next }, 'wallets are followed on the stream of the exchange');
    followed = next;
    stream ??= deps.openStream(listener);
    stream.follow(followed);
  }

  function leave(): void {
    lease = null;
    stream?.close();
    stream = null;
    followed = [];
    chosenMs = 0;
    fills.clear();
  }

  function warn(err: unknown): void {
    log.warn({ err }, 'following the stream of the exchange');
  }

  let turning = turn();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await turning;
      clearTimeout(timer);
      const held = lease;
      leave();
      await taking;
      await Promise.all(recording.values());
      if (held) await slot.release(held.name).catch(() => {}); // its lease ends by itself
    },
  };
}
