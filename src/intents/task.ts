import { readdirSync } from 'node:fs';

/** The URL of the folder that holds all tasks. */
export const TASKS = new URL('../../workers/', import.meta.url);

/** The names of all tasks: the file paths below `workers/`, without `.ts`. */
export const listTaskNames = (): string[] =>
  readdirSync(TASKS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.slice(0, -'.ts'.length));

/**
 * A task of the queue. Its payload holds only ids. It is one step and safe to repeat. It throws only for unforeseen
 * faults. `Deps` lists exactly what it uses from its process.
 */
export type Task<Payload, Deps> = (payload: Payload, deps: Deps) => Promise<void>;
