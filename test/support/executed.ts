import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = new URL('../../', import.meta.url).href;
const OURS = /^(src\/(?!sandbox\/|db\/(?:liveness|limits)|capabilities\/health\/(?:clock|queries)\.)|workers\/)/; // the sandbox plays the upstreams; a worker beats, a process compares clocks, and limits count for every statement of theirs, beside its work
const QUIET_MS = 700; // longer than the work that a request leaves after its response
const IDLE_MS = 7_000; // longer than the period of every timer that runs without a request, except the crontab

const RUNS = 5;
const IDLE_WINDOWS = 3;

/** Functions that ran, as `file function@offset`. */
type Functions = Set<string>;

export type Recorder = {
  /**
   * The files of `src` and `workers` of which a function ran, beyond the module's own top level, in most of the runs
   * and not while the service was idle. `prepare` is not counted; its result is passed to `run`.
   */
  filesOf<Options>(prepare: () => Promise<Options>, run: (given: Options) => Promise<void>): Promise<string[]>;
  stop(): Promise<void>;
};

/** Counts calls in this process with V8's precise coverage. The service must be running without requests. */
export async function recordExecution(): Promise<Recorder> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

  /** The functions that ran after the last call of this one. */
  const take = async () => new Set((await session.post('Profiler.takePreciseCoverage')).result.flatMap(functionsOf));
  const recordRuns = async (times: number, run: () => Promise<void>) => {
    const recorded: Functions[] = [];
    while (recorded.length < times) {
      await run();
      recorded.push(await take());
    }
    return inMost(recorded);
  };
  const idle = await recordRuns(IDLE_WINDOWS, async () => {
    await take();
    await sleep(IDLE_MS);
  });

  return {
    async filesOf(prepare, run) {
      const functions = await recordRuns(RUNS, async () => {
        const given = await prepare();
        await sleep(QUIET_MS);
        await take();
        await run(given);
        await sleep(QUIET_MS);
      });
      const files = [...functions.difference(idle)].map((one) => one.split(' ')[0] ?? '');
      return [...new Set(files)].sort();
    },
    async stop() {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}

type Script = {
  url: string;
  functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[];
};

function functionsOf({ url, functions }: Script): string[] {
  const file = url.startsWith(ROOT) ? url.slice(ROOT.length) : '';
  if (!OURS.test(file)) return [];
  return functions.flatMap(({ functionName, ranges: [range] }) => {
    const isTopLevel = functionName === '' && range?.startOffset === 0;
    return range && range.count > 0 && !isTopLevel ? [`${file} ${functionName}@${range.startOffset}`] : [];
  });
}

/** The functions that ran in most runs: neither a crontab job between two requests nor a delay changes it. */
const inMost = (recorded: Functions[]): Functions => {
  const all = new Set(recorded.flatMap((functions) => [...functions]));
  return new Set([...all].filter((one) => recorded.filter((ran) => ran.has(one)).length > recorded.length / 2));
};
