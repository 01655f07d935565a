import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from '../../../adapters/http.ts';
import type { SharedSlots } from '../../../kernel/shared-upstream.ts';
import { epochMs } from '../../../kernel/work.ts';

/** Sends a look-up, which must leave before `notAfter` (epoch ms). `unsent` with `NO_SLOT` if it would wait for long. */
export type LookUps = (send: (notAfter: number) => Promise<Reply>) => Promise<Reply>;

/** Sends every look-up at once. */
export const unlimited: LookUps = (send) => soon(send(Number.POSITIVE_INFINITY));

/** How long the miner is listened to after a look-up: longer than any request holds its threads. See venues/network.md#threads. */
export const LOOK_UP_MS = 120_000;
/** A caller does not wait for longer than this. */
const ANSWERED_MS = 5_000;
/** One slot serves all look-ups that begin within this time. */
const TURN_MS = 1_000;
/** A turn, the longest wait of a caller, and as much again: the slot of a process that was killed is free after it. */
const SLOT_MS = 12_000;
/** A look-up whose connection the other side has closed is taken for ended after this. It only reads a file. See decision 071. */
const CLOSED_MS = 1_000;
/** A job that waits for longer would keep others from running. */
const PATIENCE_MS = 2_000;
/**
 * The pause between look-ups of a turn; less if many wait, so that the last one waits no more than `SPREAD_MS` for it. Jobs that were due are begun
 * together, and look-ups at one moment would prove the same thread of the miner. See decision 072.
 */
const BETWEEN_MS = 50;
const SPREAD_MS = 500;
/** The pause before a slot is asked for again. It varies, so that processes do not ask at the same moment. */
const pauseMs = () => 15 + 30 * Math.random();

/** The faults of a request whose connection was closed, as opposed to one that stays silent. */
const CLOSED = /^(ECONNRESET|EPIPE)/;

const NO_SLOT: Reply = { kind: 'unsent', why: 'NO_SLOT' };
const SILENT: Reply = { kind: 'lost', why: 'ETIMEDOUT (request)' };

type Waiting = { send: (notAfter: number) => Promise<Reply>; since: number; done(reply: Reply | Promise<Reply>): void };

/**
 * Look-ups that together never have more requests outstanding than there are slots, over all processes. Those of one
 * process take turns in a slot, so that a slot is asked for once for many. A look-up without a response is outstanding, although
 * its caller waits no longer than `answeredMs`: its slot is held until the miner responds, or a second after the connection was closed.
 */
export function lookUpsIn(slots: SharedSlots, answeredMs = ANSWERED_MS): LookUps {
  const waiting: Waiting[] = [];
  let servers = 0;
  const next = () => {
    while (isOver(waiting[0])) waiting.shift()?.done(NO_SLOT);
    return waiting.shift();
  };

  async function serve(): Promise<void> {
    servers += 1;
    while (waiting.length > 0) {
      const notAfter = performance.now() + TURN_MS; // not the time, which a failover may set back
      const slot = await slots.take(SLOT_MS).catch(() => null); // without the database nothing is sent
      if (slot !== null) await useTurn(slot, notAfter);
      if (isOver(waiting[0])) waiting.shift()?.done(NO_SLOT);
      if (waiting.length > 0) await sleep(pauseMs());
    }
    servers -= 1;
  }

  async function useTurn(slot: string, notAfter: number): Promise<void> {
    for (let leftMs = notAfter - performance.now(); leftMs > 0; leftMs = notAfter - performance.now()) {
      const one = next();
      if (!one) break;
      const reply = one.send(epochMs() + leftMs);
      const ended = await soon(reply, answeredMs);
      one.done(ended);
      if (ended.kind === 'lost') return void holdUntil(reply, slot);
      if (waiting.length > 0) await sleep(Math.min(BETWEEN_MS, SPREAD_MS / waiting.length));
    }
    await release(slot);
  }

  /** Holds a slot until a look-up has ended that its caller no longer waits for. */
  async function holdUntil(reply: Promise<Reply>, slot: string): Promise<void> {
    const holding = setInterval(() => void slots.hold(slot, SLOT_MS).catch(() => {}), SLOT_MS / 3).unref();
    const ended = await reply;
    clearInterval(holding);
    if (ended.kind === 'lost' && !CLOSED.test(ended.why)) return; // its time passes
    if (ended.kind === 'lost') await sleep(CLOSED_MS);
    await release(slot);
  }

  const release = (slot: string): Promise<void> => slots.release(slot).catch(() => {}); // its time passes

  return (send) =>
    new Promise((done) => {
      waiting.push({ send: AsyncResource.bind(send), since: performance.now(), done }); // it is sent within the caller's async context
      if (servers < slots.count) void serve();
    });
}

const soon = (reply: Promise<Reply>, withinMs = ANSWERED_MS): Promise<Reply> =>
  Promise.race([reply, sleep(withinMs, SILENT, { ref: false })]);

const isOver = (one: Waiting | undefined) => one !== undefined && performance.now() - one.since > PATIENCE_MS;
