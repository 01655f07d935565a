import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';

/**
 * Measures each side once per round, directly after each other; every second round in the opposite order, so that no side
 * gains from its place. Returns the rounds.
 */
export async function interleaved<Side extends string, Found>(
  rounds: number,
  sides: Record<Side, () => Promise<Found>>,
): Promise<Record<Side, Found>[]> {
  const found: Record<Side, Found>[] = [];
  const names = Object.keys(sides) as Side[]; // as: its own keys
  for (let round = 0; round < rounds; round++) {
    const results = {} as Record<Side, Found>; // as: filled below
    for (const name of round % 2 === 0 ? names : names.toReversed()) results[name] = await sides[name]();
    found.push(results);
  }
  return found;
}

/** The pairs of a figure and its reference, one of each round. */
export const pairsOf = <Side extends string, Found>(
  rounds: Record<Side, Found>[],
  [figure, reference]: readonly [Side, Side],
  of: (found: Found) => number,
): [number, number][] => rounds.map((round) => [of(round[figure]), of(round[reference])]);

/**
 * Watches the machine. The returned function reports what it did since: the share of its time that other machines on the
 * same host took (steal), the share it was busy, and the load now. Null where the system does not report it.
 */
export async function watchMachine(): Promise<() => Promise<string | null>> {
  const before = await times();
  return async () => {
    const after = await times();
    if (!before || !after) return null;
    const all = after.all - before.all;
    const share = (ticks: number) => `${((100 * ticks) / all).toFixed(1)} %`;
    const busy = all - (after.idle - before.idle);
    return `steal ${share(after.steal - before.steal)}, busy ${share(busy)}, load ${loadavg()[0]?.toFixed(1)}`;
  };
}

/** Ticks of all cores since the start of the machine (proc_stat(5)). */
async function times(): Promise<{ all: number; idle: number; steal: number } | null> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => null);
  const ticks = text?.split('\n')[0]?.trim().split(/\s+/).slice(1, 9).map(Number);
  if (!ticks) return null;
  const [, , , idle = 0, iowait = 0, , , steal = 0] = ticks;
  return { all: ticks.reduce((sum, each) => sum + each, 0), idle: idle + iowait, steal };
}
