import type { ReadResult } from '../../kernel/upstream-result.ts';
import { epochMs } from '../../kernel/work.ts';
import type { CallLimits } from './types.ts';

/** Reads something by dex; the empty name is the venue's own dex. */
type DexRead<T> = (dex?: string, limits?: CallLimits) => Promise<ReadResult<T>>;

/** Makes a read that is shared by the calls of `freshMs`. A failed read is not kept. */
export const recentRead = <T>(
  freshMs: number,
  read: (dex: string, limits?: CallLimits) => Promise<ReadResult<T>>,
): DexRead<T> => {
  const entries = new Map<string, { atMs: number; reading: Promise<ReadResult<T>> }>();
  return (dex = '', limits) => {
    const last = entries.get(dex);
    if (last && epochMs() - last.atMs <= freshMs) return last.reading;
    const entry = { atMs: epochMs(), reading: read(dex, limits) };
    entries.set(dex, entry);
    const forget = () => entries.get(dex) === entry && entries.delete(dex);
    entry.reading.then(({ kind }) => kind === 'found' || forget(), forget);
    return entry.reading;
  };
};
