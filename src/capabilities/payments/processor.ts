import type { Processor } from '../../adapters/processor/types.ts';
import type { Task } from '../../intents/task.ts';

/** Wraps a periodic task that reads the processor. If none is configured, it does nothing. */
export const whereProcessor =
  <Deps extends { processor: Processor }, Payload = unknown>(
    task: Task<Payload, Deps>,
  ): Task<Payload, Omit<Deps, 'processor'> & { processor: Processor | null }> =>
  async (payload, deps) => {
    if (deps.processor) await task(payload, deps as unknown as Deps); // as: only `processor` differs, and it is not null here
  };
