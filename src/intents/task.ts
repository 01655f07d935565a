import { readdirSync } from 'node:fs';
import type { WorkerRuntime } from '../runtime.ts';

/** The folder of all tasks. */
export const TASKS = new URL('../../workers/', import.meta.url);

/** The names of all tasks: the paths of their files. */
export const listTaskNames = (): string[] =>
  readdirSync(TASKS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.slice(0, -'.ts'.length));

/** A task of the queue. Its payload holds ids only; it is one step, safe to repeat; it throws only for the unforeseen. */
export type Task<Payload = IntentPayload> = (payload: Payload, runtime: WorkerRuntime) => Promise<void>;
type IntentPayload = { intent_id: string };
