import { setTimeout as sleep } from 'node:timers/promises';
import { type ExchangeBody, jsonReply, startProxy, type VenueProxy } from '../support/proxy.ts';

/** The exchange behind a counter of request weights, as its documentation lists them. It rejects what exceeds the limit. */
export type Weighed = {
  proxy: VenueProxy;
  /** Weight by kind of request. */
  spent(): Record<string, number>;
  /** The highest weight within any 60 s, and the number of requests rejected for it. */
  peak(): { weight: number; rejected: number };
};

const WINDOW_MS = 60_000;
const LIGHT = ['l2Book', 'allMids', 'clearinghouseState', 'orderStatus', 'spotClearinghouseState', 'exchangeStatus'];
const BY_ROWS = /fills|historical|funding/i;

/** Weight of a request before its response is known. Source: the venue's page on rate limits. */
const weightOf = ({ type = '', action }: ExchangeBody): number => {
  if (action) return 1 + Math.floor((action.orders ?? action.cancels ?? []).length / 40);
  return LIGHT.includes(type) ? 2 : 20;
};

/** Starts the counter in front of an exchange, whose URL becomes the target of its proxy. Each response takes `delayMs` more. */
export async function startWeighed(limit: number, delayMs = 0): Promise<Weighed> {
  const spent = new Map<string, number>();
  let recent: { at: number; weight: number }[] = [];
  let [peak, rejected] = [0, 0];
  const count = (kind: string, weight: number) => {
    recent = recent.filter(({ at }) => at > Date.now() - WINDOW_MS);
    recent.push({ at: Date.now(), weight });
    peak = Math.max(peak, sum(recent));
    spent.set(kind, (spent.get(kind) ?? 0) + weight);
  };
  const proxy = await startProxy(async (body, forward) => {
    if (delayMs > 0) await sleep(delayMs);
    const kind = body.action?.type ?? body.type ?? '';
    const inWindow = sum(recent.filter(({ at }) => at > Date.now() - WINDOW_MS));
    if (inWindow + weightOf(body) > limit) {
      rejected += 1;
      return jsonReply(null, 429);
    }
    count(kind, weightOf(body));
    const reply = await forward();
    if (reply && BY_ROWS.test(kind)) count(`${kind} rows`, Math.floor(JSON.parse(reply.text).length / 20));
    return reply;
  });
  return { proxy, spent: () => Object.fromEntries(spent), peak: () => ({ weight: peak, rejected }) };
}

const sum = (entries: { weight: number }[]) => entries.reduce((total, { weight }) => total + weight, 0);
