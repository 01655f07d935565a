import { existsSync, openSync, readFileSync, writeSync } from 'node:fs';

/** One effect a party accepted. `key` is the name the caller gave it: the same key twice with one kind is a doubled effect. */
export type Effect = { key: string; kind: string; detail: Record<string, unknown> } & Partial<{
  subaccount_id: number;
  pair: string;
}>;

/** An effect as it was recorded; `at` in epoch milliseconds, `seq` from 1 without gaps. */
export type Entry = { seq: number; at: number; party: string } & Effect;

/** The ground truth of what a party did. Nothing in it is ever changed or removed. */
export type Ledger = {
  record(effect: Effect): Entry;
  /** Entries recorded after that sequence number, oldest first. */
  entries(after?: number): readonly Entry[];
};

/**
 * A party's ledger. With a file, every entry is one JSON line, handed to the operating system before the effect is
 * answered, so that it outlives a killed process; entries already in the file are kept and counted on.
 */
export const openLedger = (party: string, file?: string): Ledger => {
  const entries: Entry[] = file && existsSync(file) ? readLines(file) : [];
  const append = file === undefined ? () => {} : appenderTo(file);
  return {
    record: (effect) => {
      const entry = { seq: entries.length + 1, at: Date.now(), party, ...effect };
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
