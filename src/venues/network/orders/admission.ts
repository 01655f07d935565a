import type { CapacitySettings } from '../../../capacity/budgets.ts';
import { entrySlots, paceOf } from '../../../capacity/network.ts';
import type { Settlements } from '../../../db/settled.ts';
import type { Accept, Accepted } from '../../../intents/accept.ts';
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
    what: 'More orders of this trader wait in this pair than can be executed before their deadline',
  },
  pace: {
    code: 'RATE_LIMITED',
    what: 'The network takes no more orders of this trader in this minute; the rest of them is for exits',
  },
  miner: {
    code: 'SERVICE_UNAVAILABLE',
    what: 'More orders wait for the miner than it can execute before their deadline',
  },
} as const;
const MESSAGES = {
  none: 'this one was not accepted. Retry later.',
  unknown: 'unless an earlier request with the same id was accepted, this order was not. Retry later with that id.',
};

/**
 * What the SQL functions take: with `only_repeats`, a new order gets the verdict `overloaded`; a new one gets `paced` and the
 * seconds to wait if its trader has sent, or is about to send, `pace_most` in a minute.
 */
type Candidate<O> = O & { only_repeats?: true; pace?: string; pace_most?: number };

type Reject = (verdict: string) => ApiError | undefined;

/**
 * Rejects placements at once that are expected to wait for more than half of their deadline: they would expire unsent later,
 * and delay the others until then. A lane executes one order at a time, so only the first of each counts at the miner: the
 * long lane of one trader is rejected for itself and delays nobody else. Tenants take turns at the miner: one with many orders
 * waits for its own, and the others for a few of them. Each process judges by its own orders. Repeats of
 * accepted orders, orders that close a position, cancellations and protection are never rejected. New entries of a trader
 * that its validator would not take in this minute are rejected too, by the database: it knows what all processes sent.
 */
export function admission(settings: CapacitySettings, settlements: Pick<Settlements, 'once' | 'forget'>) {
  const lines = newLines(entrySlots(settings));
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
      if (!isEntry(order) || lines.has(order.id)) return accept(order, reject);
      const { why, waitS } = lines.expectedWait(order, performance.now());
      const excessS = Math.min(waitS, order.deadline_s) - order.deadline_s * SHARE; // those before it expire too
      if (excessS <= 0) return accepted(order, accept, reject);
      const retryAfterS = Math.ceil(excessS);
      const error = tooLong(why, { effect: effectOf(order), retryAfterS });
      if (effectOf(order) === 'none') throw error;
      return accept({ ...order, only_repeats: true }, (verdict) =>
        verdict === 'overloaded' ? error : reject?.(verdict),
      );
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

/** Whether an intent is an order that may open a position. */
const isEntry = ({ terms }: NewNetworkOrder) => terms !== undefined && opens(terms);

const tooLong = (why: keyof typeof TOO_LONG, details: { effect: 'none' | 'unknown'; retryAfterS: number }) =>
  new ApiError(TOO_LONG[why].code, { ...details, message: `${TOO_LONG[why].what}; ${MESSAGES[details.effect]}` });

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
    if (was && was !== first) heads.add(was, -1);
    if (!first) return void lanes.delete(name);
    lanes.set(name, [first, ...rest]);
    if (was === first) return;
    heads.add(first, 1);
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
        heads.add(order, 1);
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
     * The longer of the two waits of a new order, in seconds, and for what it would wait. Each order before it in its lane waits
     * for the miner in its turn.
     */
    expectedWait(order: Waiting, nowMs: number): { why: keyof typeof TOO_LONG; waitS: number } {
      const minerS = atMiner.expectedWaitMs(entityOf(order.trader), nowMs, heads.before(order)) / MS_PER_S;
      const before = lanes.get(laneOf(order))?.length ?? 0;
      const laneS = Math.max(inLane.expectedWaitMs(laneOf(order), nowMs) / MS_PER_S, before * minerS);
      return laneS >= minerS ? { why: 'lane', waitS: laneS } : { why: 'miner', waitS: minerS };
    },
  };
}

/** How many orders of each tenant are the first of their lanes, by entity. */
function newHeads() {
  const entities = new Map<string, Map<string, number>>();
  return {
    add({ owner, trader }: Waiting, change: 1 | -1): void {
      const entity = entityOf(trader);
      const tenants = entities.get(entity) ?? new Map<string, number>();
      const count = (tenants.get(owner) ?? 0) + change;
      if (count > 0) tenants.set(owner, count);
      else tenants.delete(owner);
      if (tenants.size > 0) entities.set(entity, tenants);
      else entities.delete(entity);
    },
    /** How many of them are served before a new order: tenants take turns, so of each at most as many as its own have turns. */
    before({ owner, trader }: Waiting): number {
      const tenants = entities.get(entityOf(trader)) ?? new Map<string, number>();
      const turns = (tenants.get(owner) ?? 0) + 1;
      return [...tenants.values()].reduce((sum, count) => sum + Math.min(count, turns), 0);
    },
  };
}
