import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from '../../../adapters/http.ts';
import type { SharedSlots } from '../../../kernel/shared-upstream.ts';
import { epochMs } from '../../../kernel/work.ts';

/** Sends a look-up, which must leave before `notAfter` (epoch ms). `unsent` with `NO_SLOT` if it would wait for long. */
export type LookUps = (send: (notAfter: number) => Promise<Reply>) => Promise<Reply>;

/** Sends every look-up at once. */
export const unlimited: LookUps = (send) => send(Number.POSITIVE_INFINITY);

/** One slot serves all look-ups that begin within this time. */
const TURN_MS = 1_000;
/** A turn, the longest look-up, and as much again: a slot that is never given back is free after it. */
const SLOT_MS = 12_000;
/** A request whose connection the other side has closed waits nowhere any more. It may run for a moment: it only reads a file. */
const CLOSED_MS = 1_000;
/** A job that waits for longer would keep others from running. */
const PATIENCE_MS = 2_000;
/** The pause before a slot is asked for again. Processes meet at different moments. */
const pauseMs = () => 15 + 30 * Math.random();

/** Why a request was lost whose connection was closed, and did not stay silent. */
const CLOSED = /^(ECONNRESET|EPIPE)/;

const NO_SLOT: Reply = { kind: 'unsent', why: 'NO_SLOT' };

type Waiting = { send: (notAfter: number) => Promise<Reply>; since: number; done(reply: Reply | Promise<Reply>): void };

/**
 * Look-ups that together never have more requests outstanding than there are slots, over all processes. Those of one
 * process take turns in a slot, so that a slot is asked for once for many. A look-up without a response may still be
 * outstanding, so its slot is not given back; if its connection was closed, it is given back a second later.
 */
export function lookUpsIn(slots: SharedSlots): LookUps {
  const waiting: Waiting[] = [];
  let servers = 0;
  const next = () => {
    while (isOver(waiting[0])) waiting.shift()?.done(NO_SLOT);
    return waiting.shift();
  };

  async function serve(): Promise<void> {
    servers += 1;
    while (waiting.length > 0) {
      const notAfter = epochMs() + TURN_MS;
      const slot = await slots.take(SLOT_MS).catch(() => null); // without the database nothing is sent
      if (slot !== null) await useTurn(slot, notAfter);
      if (isOver(waiting[0])) waiting.shift()?.done(NO_SLOT);
      if (waiting.length > 0) await sleep(pauseMs());
    }
    servers -= 1;
  }

  async function useTurn(slot: string, notAfter: number): Promise<void> {
    while (epochMs() < notAfter) {
      const one = next();
      if (!one) break;
      const reply = one.send(notAfter);
      one.done(reply);
      const ended = await reply;
      if (ended.kind !== 'lost') continue;
      if (CLOSED.test(ended.why)) setTimeout(() => void slots.release(slot).catch(() => {}), CLOSED_MS);
      return;
    }
    await slots.release(slot).catch(() => {}); // its time passes
  }

  return (send) =>
    new Promise((done) => {
      waiting.push({ send, since: epochMs(), done });
      if (servers < slots.count) void serve();
    });
}

const isOver = (one: Waiting | undefined) => one !== undefined && epochMs() - one.since > PATIENCE_MS;
