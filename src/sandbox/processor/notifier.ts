import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Event } from './world.ts';

/**
 * How notifications are delivered. `lose`: the share that is never sent. `repeat`: how many extra times each is sent.
 * `shuffleMs`: the maximum random delay of each, which changes their order. `hold`: nothing is sent.
 */
type Travel = { lose: number; repeat: number; shuffleMs: number; hold: boolean };

/** Sends signed events to one address. */
export type Notifier = {
  travel: Travel;
  /** Sets the address. Nothing is sent before. */
  to(url: string): void;
  send(event: Event): void;
  close(): Promise<void>;
};

const RETRY_MS = [500, 2_000, 5_000]; // the real processor retries for 3 days
const TIMEOUT_MS = 10_000;

/** Creates a notifier. By default nothing is lost, repeated or delayed; change `travel` for that. */
export const notifier = (secret: string): Notifier => {
  const closeController = new AbortController();
  const deliveries = new Set<Promise<void>>();
  const travel: Travel = { lose: 0, repeat: 0, shuffleMs: 0, hold: false };
  let url: string | undefined;

  async function deliver(body: string): Promise<void> {
    for (const retryMs of [...RETRY_MS, null]) {
      await wait(travel.shuffleMs * Math.random(), undefined, { signal: closeController.signal });
      if (await isAccepted(body)) return;
      if (retryMs !== null) await wait(retryMs, undefined, { signal: closeController.signal });
    }
  }

  async function isAccepted(body: string): Promise<boolean> {
    if (url === undefined) return false;
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature(secret, body) };
    const signal = AbortSignal.any([closeController.signal, AbortSignal.timeout(TIMEOUT_MS)]);
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
        const delivery = deliver(JSON.stringify(event)).catch(() => {}); // only `close` interrupts it
        deliveries.add(delivery);
        void delivery.then(() => deliveries.delete(delivery));
      }
    },
    async close() {
      closeController.abort();
      await Promise.all(deliveries);
    },
  };
};

/** The signature header of the processor: HMAC-SHA256 over `<seconds>.<body>`. */
export const signature = (secret: string, body: string, atS = Math.floor(Date.now() / 1000)): string =>
  `t=${atS},v1=${createHmac('sha256', secret).update(`${atS}.${body}`).digest('hex')}`;
