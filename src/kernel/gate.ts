import { Refusal } from './refusals.ts';

/**
 * Lets at most `width` pieces of work go on at once and at most `waiting` more wait for their turn; refuses the rest with
 * SERVICE_UNAVAILABLE, so that a flood costs its senders time and not everyone memory.
 */
export function gate(width: number, waiting: number) {
  const queue: (() => void)[] = [];
  let inside = 0;
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (inside < width) inside += 1;
    else await turn();
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else inside -= 1;
    }
  };

  function turn(): Promise<void> {
    if (queue.length >= waiting) throw new Refusal('SERVICE_UNAVAILABLE', { retryAfterS: 1 });
    return new Promise((resolve) => queue.push(resolve));
  }
}
