import type { WorkerRuntime } from '../runtime.ts';

/** A task of the queue. Its payload holds ids only; it is one step, safe to repeat; it throws only for the unforeseen. */
export type Task<Payload = IntentPayload> = (payload: Payload, runtime: WorkerRuntime) => Promise<void>;
type IntentPayload = { intent_id: string };
