import { readdirSync } from 'node:fs';

/** The URL of the folder that holds all tasks. */
export const TASKS = new URL('../../workers/', import.meta.url);

/** The names of all tasks: the file paths below `workers/`, without `.ts`. */
export const listTaskNames = (): string[] =>
  readdirSync(TASKS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.slice(0, -'.ts'.length));

const FORMER_NAMES = { 'payments/look': 'payments/read', 'webhooks/wake': 'webhooks/dispatch' };

/** The tasks, also under the names by which the previous release queued jobs. The next release drops those names. */
export const withFormerNames = <T>(tasks: Record<string, T>): Record<string, T> => ({
  ...tasks,
  ...Object.fromEntries(
    Object.entries(FORMER_NAMES).flatMap(([former, name]) => (tasks[name] ? [[former, tasks[name]]] : [])),
  ),
});

/**
 * A task of the queue. Its payload holds only ids. It is one step and safe to repeat. It throws only for unforeseen
 * faults. `Deps` lists exactly what it uses from its process.
 */
export type Task<Payload, Deps> = (payload: Payload, deps: Deps) => Promise<void>;
