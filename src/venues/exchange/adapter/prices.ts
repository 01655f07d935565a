import { LRUCache } from 'lru-cache';
import { type Priority, readWeights } from '../../../capacity/exchange.ts';
import { found, type ReadResult } from '../../../kernel/upstream-result.ts';
import { presentWork } from '../../../kernel/work.ts';
import { readMids } from './assets.ts';
import { foundOr, type QueryInfo } from './info.ts';
import type { Exvenue } from './types.ts';

/** One read of the prices serves all orders of a second. */
const FRESH_MS = 1_000;
const MOST_DEXES = 100;

type Mids = Record<string, string>;
type Read = { dex: string; stop: AbortController; result: Promise<ReadResult<Mids>> };

/**
 * Reads the mid prices of a dex, or returns those of the last second. Reads wait for the budget, each in the line of its class and
 * tenant: the first that is granted serves all that wait, and the others are not made. So an exit does not wait for the turn of an
 * entry, nor a tenant for that of another.
 */
export const pricesFrom = (query: QueryInfo): Exvenue['mids'] => {
  const fresh = new LRUCache<string, Mids>({ max: MOST_DEXES, ttl: FRESH_MS });
  const underWay = new Map<string, Read>();

  function begin(dex: string, line: string, priority: Priority): Read {
    const stop = new AbortController();
    const body = { type: 'allMids', ...(dex !== '' && { dex }) };
    const result = query({ body, weight: readWeights.light }, { priority, signal: stop.signal }, foundOr(readMids))
      .then((read) => {
        if (read.kind === 'found') serve(dex, line, read.data);
        return read;
      })
      .finally(() => underWay.delete(line));
    const read = { dex, stop, result };
    underWay.set(line, read);
    return read;
  }

  function serve(dex: string, by: string, mids: Mids): void {
    fresh.set(dex, mids);
    for (const [line, read] of underWay) if (read.dex === dex && line !== by) read.stop.abort();
  }

  return async (dex = '', { priority = presentWork().isExit ? 'exit' : 'entry' } = {}) => {
    const known = fresh.get(dex);
    if (known) return found(known);
    const line = `${priority} ${presentWork().tenant ?? ''} ${dex}`;
    const { result } = underWay.get(line) ?? begin(dex, line, priority);
    const read = await result;
    const served = fresh.get(dex);
    return served ? found(served) : read;
  };
};
