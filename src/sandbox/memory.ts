import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';

/** Files for the state and the ledger of an upstream. Without them both are lost with the process. */
export type Files = { stateFile?: string; ledgerFile?: string };

/** State of an upstream that survives its process. */
export type Memory<State> = {
  /** The state stored by an earlier process. Null at the first start. */
  recalled: State | null;
  /**
   * Stores the current state. The file is replaced atomically: a kill leaves the old or the new state, never a part.
   */
  keep(state: () => State): void;
};

/** Opens the stored state of an upstream. Without a file nothing is stored. */
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

/** The files of an upstream in a folder. Creates the folder. */
export function filesIn(folder: string, upstream: string): Files {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { stateFile: path.join(folder, `${upstream}.state`), ledgerFile: path.join(folder, `${upstream}.jsonl`) };
}
