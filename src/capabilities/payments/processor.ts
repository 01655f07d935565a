import type { Processor } from '../../adapters/processor/types.ts';
import type { Task } from '../../intents/task.ts';
import { requireValue } from '../../kernel/require.ts';

/** The dependencies of a process that may run without a processor. */
type MaybeConfigured<Deps> = Omit<Deps, 'processor'> & { processor: Processor | null };

/**
 * Wraps a task that requires the processor. If none is configured, the task throws before it does anything: nothing is
 * claimed or sent, the error is logged, and the queue runs the job again later.
 */
export const withProcessor =
  <Payload, Deps extends { processor: Processor }>(task: Task<Payload, Deps>): Task<Payload, MaybeConfigured<Deps>> =>
  (payload, deps) =>
    task(
      payload,
      configured<Deps>(deps, requireValue(deps.processor, 'V2_PAYMENTS_NOT_CONFIGURED', { effect: 'none' })),
    );

/** Wraps a periodic task that reads the processor. If none is configured, it does nothing. */
export const whereProcessor =
  <Deps extends { processor: Processor }, Payload = unknown>(
    task: Task<Payload, Deps>,
  ): Task<Payload, MaybeConfigured<Deps>> =>
  async (payload, deps) => {
    if (deps.processor) await task(payload, configured<Deps>(deps, deps.processor));
  };

const configured = <Deps extends { processor: Processor }>(deps: MaybeConfigured<Deps>, processor: Processor): Deps =>
  ({ ...deps, processor }) as unknown as Deps; // as: only the member that was null differs, and it is set here
