import { existsSync, globSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The clock of one process, as its host would show it: the time of day is wrong, intervals are right. */
export type HostClock = {
  /** What a process is started with, to live by this clock. */
  settings: Record<string, string>;
  /** Shows the true time plus so many seconds from now on; a process that runs notices within a second. */
  set(aheadS: number): Promise<void>;
  remove(): Promise<void>;
};

/** The library of Debian's `libfaketime`, or null. */
export const findFaketime = (): string | null =>
  globSync('/usr/lib/*/faketime/libfaketime.so.1').find((file) => existsSync(file)) ?? null;

/** Makes a clock that is so many seconds ahead. */
export async function hostClock(library: string, aheadS: number): Promise<HostClock> {
  const dir = await mkdtemp(join(tmpdir(), `tps-test-${process.pid}-clock-`));
  const file = join(dir, 'ahead');
  const set = async (seconds: number) => {
    await writeFile(`${file}.next`, `${seconds < 0 ? '' : '+'}${seconds}s\n`);
    await rename(`${file}.next`, file);
  };
  await set(aheadS);
  return {
    settings: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    },
    set,
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}
