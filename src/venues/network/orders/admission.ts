import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { CapacitySettings } from '../../../capacity/budgets.ts';
import { entrySlots, paceOf } from '../../../capacity/network.ts';
import type { Settlements } from '../../../db/settled.ts';
import type { Accept, Accepted } from '../../../intents/accept.ts';
import { type IntentWait, shownWait } from '../../../intents/waits.ts';
import { mostEntries } from '../../../kernel/cache.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { entityOf, type IntentId } from '../../../kernel/ids.ts';
import { newBacklog } from './backlog.ts';
import type { NewNetworkOrder } from './intents.ts';
import { opens } from './rules.ts';

/** The share of its deadline that a new order may be expected to wait: the estimate is no more exact than that. */
const SHARE = 0.5;
const MS_PER_S = 1_000;

/** Why an order would not be executed in time: its own lane is long, or the miner has more lanes to serve than it can. */
const TOO_LONG = {
  lane: {
    code: 'RATE_LIMITED',
    what: 'More orders of this trader wait in this pair than can be executed before their deadline.',
  },
  pace: {
    code: 'RATE_LIMITED',
    what: 'The network takes no more orders and edits of this trader in this minute; the rest of them is for exits.',
  },
  miner: {
    code: 'SERVICE_UNAVAILABLE',
    what: 'More orders wait for the miner than it can execute before their deadline.',
  },
} as const;
const MESSAGES = {
  none: 'This one was not accepted. Retry later.',
  unknown: 'Unless an earlier request with the same id was accepted, this order was not. Retry later with that id.',
};

/**
 * What the SQL functions take: with `only_repeats`, a new order gets the verdict `overloaded`; a new one gets `paced` and the
 * seconds to wait if its trader has sent, or is about to send, `pace_most` in a minute.
 */
type Candidate<O> = O & { only_repeats?: true; pace?: string; pace_most?: number };

type Reject = (verdict: string) => ApiError | undefined;

/**
 * Rejects placements at once that are expected to wait for more than half of their deadline: they would expire unsent
 * later, and delay the others until then. A lane executes one order at a time, so only the first of each counts at the
 * miner: the long lane of one trader is rejected for itself and delays nobody else. Tenants take turns at the miner:
 * one with many orders waits for its own, and the others for a few of them. Each process judges by its own orders.
 * Repeats of accepted orders, orders that close a position, cancellations and protection are never rejected. New
 * entries and edits of a trader that its validator would not take in this minute are rejected too, by the database: it
 * knows what all processes sent. `why` reads what an open intent waits for: a rejection says what the first order of its tenant before
 * it waits for, and its `Retry-After` is no earlier than that order's turn.
 */
export function admission(
  settings: CapacitySettings,
  settlements: Pick<Settlements, 'once' | 'forget'>,
  why: (intentId: IntentId) => Promise<IntentWait | null>,
) {
  const lines = newLines(entrySlots(settings));
  const waitOf = waitsOf(why);
  const paced = <O extends NewNetworkOrder>(order: O): Candidate<O> => {
    const { name, perMinute, forExits } = paceOf(order.trader, settings);
    return { ...order, pace: name, pace_most: perMinute - forExits };
  };
  const ended = (id: IntentId) => lines.end(id, performance.now());
  const forget = (id: IntentId) => {
    settlements.forget(id);
    lines.remove(id, performance.now());
  };

  async function accepted<O extends NewNetworkOrder>(
    order: O,
    accept: Accept<Candidate<O>>,
    reject?: Reject,
  ): Promise<Accepted> {
    lines.add(order, performance.now());
    settlements.once(order.id, ended);
    try {
      const submitted = await accept(paced(order), (verdict) => tooFast(order, verdict) ?? reject?.(verdict));
      if (submitted.replayed) forget(order.id); // the first request counts, and its order may have ended
      return submitted;
    } catch (error) {
      forget(order.id);
      throw error;
    }
  }

  return <O extends NewNetworkOrder>(accept: Accept<Candidate<O>>): Accept<O> =>
    async (order, reject) => {
      if (isEdit(order)) return accept(paced(order), (verdict) => tooFast(order, verdict) ?? reject?.(verdict));
      if (!isEntry(order) || lines.has(order.id)) return accept(order, reject);
      const { line, waitS, first } = lines.expectedWait(order, performance.now());
      const excessS = Math.min(waitS, order.deadline_s) - order.deadline_s * SHARE; // those before it expire too
      if (excessS <= 0) return accepted(order, accept, reject);
      const wait = await waitOf(
        line === 'lane' ? (order.lane ?? order.id) : `${entityOf(order.trader)} ${order.owner}`,
        first,
      );
      const retryAfterS = Math.ceil(Math.max(excessS, wait?.again_s ?? 0));
      const error = tooLong(line, { effect: effectOf(order), retryAfterS }, wait);
      if (effectOf(order) === 'none') throw error;
      return accept({ ...order, only_repeats: true }, (verdict) =>
        verdict === 'overloaded' ? error : reject?.(verdict),
      );
    };
}

/** A rejection costs no more than this: in a flood there are many. */
const [READ_AGAIN_MS, READ_WITHIN_MS] = [1_000, 250];
const MOST_LINES = 1_000;

/** What the first order of a line waits for, as it was read within the last second; null if that is not known soon. */
function waitsOf(why: (intentId: IntentId) => Promise<IntentWait | null>) {
  const read = new LRUCache<string, Promise<IntentWait | null>>({ ...mostEntries(MOST_LINES), ttl: READ_AGAIN_MS });
  return (line: string, first: IntentId | undefined): Promise<IntentWait | null> => {
    const known = read.get(line) ?? (first === undefined ? Promise.resolve(null) : why(first).catch(() => null));
    if (!read.has(line)) read.set(line, known, { size: 1 });
    return Promise.race([known, sleep(READ_WITHIN_MS, null, { ref: false })]);
  };
}

/** What is known of a rejected order: an earlier attempt under the same id may still be on its way to the database. */
const effectOf = ({ given_id, idempotency_key }: NewNetworkOrder) =>
  given_id !== undefined || idempotency_key !== undefined ? 'unknown' : 'none';

/** The error of the verdict `paced`, which names the seconds to wait. */
function tooFast(order: NewNetworkOrder, verdict: string): ApiError | undefined {
  const [, seconds] = /^paced (\d+)$/.exec(verdict) ?? [];
  return seconds ? tooLong('pace', { effect: effectOf(order), retryAfterS: Number(seconds) }) : undefined;
}

/** Whether an intent changes a resting order: it is sent as an entry, and one that waited for its pace would hold up the exits behind it. */
const isEdit = ({ kind }: NewNetworkOrder) => kind === 'network/edit';

/** Whether an intent is an order that may open a position. */
const isEntry = ({ terms }: NewNetworkOrder) => terms !== undefined && opens(terms);

const tooLong = (
  line: keyof typeof TOO_LONG,
  details: { effect: 'none' | 'unknown'; retryAfterS: number },
  first: IntentWait | null = null,
) => {
  const said = [TOO_LONG[line].what, ...(first ? [`Of the first of them: ${shownWait(first).message}`] : [])];
  return new ApiError(TOO_LONG[line].code, { ...details, message: [...said, MESSAGES[details.effect]].join(' ') });
};

type Waiting = Pick<NewNetworkOrder, 'id' | 'owner' | 'trader' | 'lane' | 'deadline_s'>;

/** The orders of a process in their lanes. Of each lane, only the first waits for the miner. */
function newLines(entrySlots: number) {
  const [atMiner, inLane] = [newBacklog(entrySlots), newBacklog(1)];
  const lanes = new Map<string, (Waiting & { expiresAtMs: number })[]>();
  const heads = newHeads();
  const laneOf = ({ id, lane }: Waiting) => lane ?? id;
  const known = new Map<IntentId, { lane: string; expiresAtMs: number }>(); // in order of addition: about that of expiry

  function leave(id: IntentId, nowMs: number): void {
    const name = known.get(id)?.lane;
    if (name === undefined || !known.delete(id)) return;
    const lane = lanes.get(name) ?? [];
    const [was] = lane;
    const [first, ...rest] = lane.filter((order) => order.id !== id);
    if (was && was !== first) heads.remove(was);
    if (!first) return void lanes.delete(name);
    lanes.set(name, [first, ...rest]);
    if (was === first) return;
    heads.add(first);
    if (!atMiner.has(first.id)) atMiner.add(first.id, entityOf(first.trader), nowMs, first.expiresAtMs);
  }

  function forgetExpired(nowMs: number): void {
    for (const [id, { expiresAtMs }] of known) {
      if (expiresAtMs > nowMs) break;
      leave(id, nowMs);
    }
  }

  return {
    has: (id: IntentId) => known.has(id),
    add(order: Waiting, nowMs: number): void {
      forgetExpired(nowMs);
      const expiresAtMs = nowMs + order.deadline_s * MS_PER_S;
      const lane = lanes.get(laneOf(order)) ?? [];
      if (lane.length === 0) {
        atMiner.add(order.id, entityOf(order.trader), nowMs, expiresAtMs);
        heads.add(order);
      }
      inLane.add(order.id, laneOf(order), nowMs, expiresAtMs);
      lanes.set(laneOf(order), [...lane, { ...order, expiresAtMs }]);
      known.set(order.id, { lane: laneOf(order), expiresAtMs });
    },
    remove(id: IntentId, nowMs: number): void {
      for (const backlog of [atMiner, inLane]) backlog.remove(id);
      leave(id, nowMs);
    },
    end(id: IntentId, nowMs: number): void {
      for (const backlog of [atMiner, inLane]) backlog.end(id, nowMs);
      leave(id, nowMs);
    },
    /**
     * The longer of the two waits of a new order, in seconds, for what it would wait, and the first order of its tenant before it there.
     * Each order before it in its lane waits for the miner in its turn.
     */
    expectedWait(
      order: Waiting,
      nowMs: number,
    ): { line: 'lane' | 'miner'; waitS: number; first: IntentId | undefined } {
      const minerS = atMiner.expectedWaitMs(entityOf(order.trader), nowMs, heads.before(order)) / MS_PER_S;
      const lane = lanes.get(laneOf(order)) ?? [];
      const laneS = Math.max(inLane.expectedWaitMs(laneOf(order), nowMs) / MS_PER_S, lane.length * minerS);
      return laneS >= minerS
        ? { line: 'lane', waitS: laneS, first: lane[0]?.id }
        : { line: 'miner', waitS: minerS, first: heads.first(order) };
    },
  };
}

/** The orders of each tenant that are the first of their lanes, by entity. */
function newHeads() {
  const entities = new Map<string, Map<string, Set<IntentId>>>();
  const tenantsAt = (trader: Waiting['trader']) => entities.get(entityOf(trader)) ?? new Map<string, Set<IntentId>>();
  return {
    add({ id, owner, trader }: Waiting): void {
      const tenants = tenantsAt(trader);
      tenants.set(owner, (tenants.get(owner) ?? new Set()).add(id));
      entities.set(entityOf(trader), tenants);
    },
    remove({ id, owner, trader }: Waiting): void {
      const tenants = tenantsAt(trader);
      tenants.get(owner)?.delete(id);
      if (tenants.get(owner)?.size === 0) tenants.delete(owner);
      if (tenants.size === 0) entities.delete(entityOf(trader));
    },
    /** How many of them are served before a new order: tenants take turns, so of each at most as many as its own have turns. */
    before({ owner, trader }: Waiting): number {
      const tenants = tenantsAt(trader);
      const turns = (tenants.get(owner)?.size ?? 0) + 1;
      return [...tenants.values()].reduce((sum, { size }) => sum + Math.min(size, turns), 0);
    },
    /** The oldest order of the same tenant: what another tenant's order waits for, such as a pause, must not be shown. */
    first({ owner, trader }: Waiting): IntentId | undefined {
      const [oldest] = tenantsAt(trader).get(owner) ?? [];
      return oldest;
    },
  };
}
