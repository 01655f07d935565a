import type { CallLimits, Signal, SignalAccepted } from '../adapters/netvenue/types.ts';
import type { Intent } from '../intents/intent.ts';
import { type Answer, unreachable } from '../kernel/answer.ts';
import type { WorkerRuntime } from '../runtime.ts';

/** Sends a signal to the miner of its trader's entity. Where we have no key for one, nothing is sent. */
export async function submit(
  { venues }: Pick<WorkerRuntime, 'venues'>,
  { asked }: Intent,
  signal: Signal,
  limits: CallLimits,
): Promise<Answer<SignalAccepted>> {
  const venue = await venues.ofTrader(String(asked.trader));
  return venue ? venue.submit(signal, limits) : unreachable('no key for the entity');
}
