import { existsSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * One effect that an upstream accepted. `key` is the caller's id: a repeated pair of `key` and `kind` is a duplicate
 * effect.
 */
export type Effect = { key: string; kind: string; detail: Record<string, unknown> } & Partial<{
  subaccount_id: number;
  pair: string;
}>;

/** A recorded effect. `at` is epoch ms, `seq` starts at 1 and has no gaps. */
export type Entry = { seq: number; at: number; upstream: string } & Effect;

/** The record of all effects of an upstream. Append-only. */
export type Ledger = {
  record(effect: Effect): Entry;
  /** Entries after a sequence number, oldest first. */
  entries(after?: number): readonly Entry[];
};

/**
 * Opens the ledger of an upstream. With a file, every entry is one JSON line, written before the upstream responds, so
 * it survives a killed process. Entries already in the file are kept; numbering continues after them.
 */
export const openLedger = (upstream: string, file?: string): Ledger => {
  const entries: Entry[] = file && existsSync(file) ? readLines(file) : [];
  const append = file === undefined ? () => {} : appenderTo(file);
  return {
    record: (effect) => {
      const entry = { seq: entries.length + 1, at: Date.now(), upstream, ...effect };
      entries.push(entry);
      append(entry);
      return entry;
    },
    entries: (after = 0) => entries.slice(after),
  };
};

const appenderTo = (file: string) => {
  const descriptor = openSync(file, 'a');
  return (entry: Entry) => {
    writeSync(descriptor, `${JSON.stringify(entry)}\n`);
  };
};

const readLines = (file: string): Entry[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
