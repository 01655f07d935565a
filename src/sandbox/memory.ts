import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';

/** Where a party keeps what it knows and what it did; without these it forgets with its process. */
export type Files = { stateFile?: string; ledgerFile?: string };

/** What a party knows, over the end of its process. */
export type Memory<State> = {
  /** What an earlier process kept; null at the first start. */
  recalled: State | null;
  /** Keeps what there is now. The file is replaced whole: a kill leaves the state before or after, never half of one. */
  keep(state: () => State): void;
};

/** The memory of a party in a file, or none. */
export const openMemory = <State>(file?: string): Memory<State> => {
  if (file === undefined) return { recalled: null, keep: () => {} };
  return {
    recalled: existsSync(file) ? (deserialize(readFileSync(file)) as State) : null, // as: only `keep` writes there
    keep: (state) => {
      writeFileSync(`${file}.new`, serialize(state()), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
};

/** The files of a party in a folder, which is made. */
export function filesIn(folder: string, party: string): Files {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { stateFile: path.join(folder, `${party}.state`), ledgerFile: path.join(folder, `${party}.jsonl`) };
}
