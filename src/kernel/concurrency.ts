import PQueue from 'p-queue';
import { ApiError } from './errors.ts';

/**
 * Makes a limiter that runs at most `concurrency` pieces of work at once. At most `maxWaiting` more wait, in order of
 * arrival. It throws SERVICE_UNAVAILABLE for the rest, so that a flood of requests cannot exhaust memory.
 */
export function concurrencyLimit(concurrency: number, maxWaiting: number) {
  const queue = new PQueue({ concurrency });
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (queue.size >= maxWaiting) throw new ApiError('SERVICE_UNAVAILABLE', { retryAfterS: 1 });
    return queue.add(work);
  };
}
