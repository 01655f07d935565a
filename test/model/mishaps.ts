import { randomBytes } from 'node:crypto';
import type { Processor } from '../../src/adapters/processor/types.ts';
import { type Accepted, type UpstreamResult, unknownEffect } from '../../src/kernel/upstream-result.ts';

/** What happens to a worker's call: nothing, its response is lost, or the worker is killed before it records it. */
export type Mishap = 'none' | 'lost' | 'killed';

/** Repeats a write under one key: on a busy machine a connection may be lost. */
export async function untilAccepted<T>(write: (key: string) => Promise<UpstreamResult<T>>): Promise<Accepted<T>> {
  const key = randomBytes(8).toString('hex');
  for (let left = 10; left > 0; left -= 1) {
    const result = await write(key);
    if (result.kind === 'accepted') return result;
  }
  throw new Error('no payment or account');
}

/** The end of a process that was killed after its write. */
class Killed extends Error {}

/** Throws everything but the end of a killed process. */
export function ignoreKill(error: unknown): void {
  if (!(error instanceof Killed)) throw error;
}

/** The processor, whose every write takes effect: then its response is lost, or whoever called it is killed. */
export function hindered(adapter: Processor, mishap: Mishap): Processor {
  if (mishap === 'none') return adapter;
  const hinder =
    <Args extends unknown[]>(write: (...args: Args) => Promise<unknown>) =>
    async (...args: Args) => {
      await write(...args);
      if (mishap === 'killed') throw new Killed();
      return unknownEffect('lost');
    };
  const { refund: refunds, transfer, payOut, reverse: reverses } = adapter;
  return {
    ...adapter,
    refund: hinder(refunds),
    transfer: hinder(transfer),
    payOut: hinder(payOut),
    reverse: hinder(reverses),
  };
}
