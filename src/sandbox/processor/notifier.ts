import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Event } from './world.ts';

/**
 * How notifications travel. `lose`: the share never sent. `repeat`: how many more times each is sent. `shuffleMs`: each waits
 * up to so long, so that they overtake one another. `hold`: none is sent.
 */
type Travel = { lose: number; repeat: number; shuffleMs: number; hold: boolean };

/** Sends what happened to one address, signed. */
export type Notifier = {
  travel: Travel;
  /** Where to; nothing is sent before it is known. */
  to(url: string): void;
  send(event: Event): void;
  close(): Promise<void>;
};

const AGAIN_MS = [500, 2_000, 5_000]; // the processor itself goes on for three days
const TIMEOUT_MS = 10_000;

/** Nothing is lost, repeated or shuffled until `travel` says so. */
export const notifier = (secret: string): Notifier => {
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();
  const travel: Travel = { lose: 0, repeat: 0, shuffleMs: 0, hold: false };
  let url: string | undefined;

  async function deliver(body: string): Promise<void> {
    for (const againMs of [...AGAIN_MS, null]) {
      await wait(travel.shuffleMs * Math.random(), undefined, { signal: closing.signal });
      if (await isTaken(body)) return;
      if (againMs !== null) await wait(againMs, undefined, { signal: closing.signal });
    }
  }

  async function isTaken(body: string): Promise<boolean> {
    if (url === undefined) return false;
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature(secret, body) };
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    return fetch(url, { method: 'POST', headers, body, signal }).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  return {
    travel,
    to: (address) => {
      url = address;
    },
    send(event) {
      if (travel.hold || Math.random() < travel.lose) return;
      for (let copy = 0; copy <= travel.repeat; copy += 1) {
        const delivery = deliver(JSON.stringify(event)).catch(() => {}); // only the closing interrupts it
        underWay.add(delivery);
        void delivery.then(() => underWay.delete(delivery));
      }
    },
    async close() {
      closing.abort();
      await Promise.all(underWay);
    },
  };
};

/** The header the processor signs with: HMAC-SHA256 over `<seconds>.<body>`. */
export const signature = (secret: string, body: string, atS = Math.floor(Date.now() / 1000)): string =>
  `t=${atS},v1=${createHmac('sha256', secret).update(`${atS}.${body}`).digest('hex')}`;
