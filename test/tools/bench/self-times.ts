/** A CPU profile as V8 writes it: nodes of the call tree, the node of each sample, and microseconds between samples. */
export type CpuProfile = {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
    children?: number[];
  }[];
  samples: number[];
  timeDeltas: number[];
};

/** The start of a process, which loads its code, is left out of the times. */
const START_US = 4_000_000;

/** Microseconds spent in each node itself, after the start of the process. */
export function timesOf({ samples, timeDeltas }: CpuProfile): Map<number, number> {
  const times = new Map<number, number>();
  let at = 0;
  samples.forEach((id, n) => {
    const us = timeDeltas[n] ?? 0;
    at += us;
    if (at > START_US) times.set(id, (times.get(id) ?? 0) + us);
  });
  return times;
}

const IDLE = new Set(['(idle)', '(root)']);

/** The functions in which a process itself spent most of its working time: share, milliseconds and place, the top first. */
export function selfTimes(profile: CpuProfile, most: number): string[][] {
  const times = timesOf(profile);
  const functions = new Map<string, number>();
  for (const { id, callFrame } of profile.nodes) {
    if (IDLE.has(callFrame.functionName)) continue;
    const place = nameOf(callFrame);
    functions.set(place, (functions.get(place) ?? 0) + (times.get(id) ?? 0));
  }
  const all = [...functions.values()].reduce((sum, each) => sum + each, 0);
  return [...functions]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([place, us]) => [`${((100 * us) / all).toFixed(1)} %`, `${Math.round(us / 1_000)} ms`, place]);
}

/** A function with its file: of a package from its name on, of ours from the root of the project on. */
export function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const file = url.replace(/^.*\/node_modules\//, '').replace(/^file:\/\/.*?\/(src|workers|test)\//, '$1/');
  return `${functionName || '(anonymous)'} ${file}${file ? `:${lineNumber + 1}` : ''}`.trim();
}
