import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { NO_SERVER, startShared, stopPostgres } from './support/postgres.ts';

/*
 * npm test [-- --shuffle] runs every test; npm run test:quick those that need no database. Files with failures, if they
 * are few, run once more alone: a busy machine can break a test's timing, and what fails alone is broken. The last line
 * is "N passed, N failed", and ", N skipped" if any were.
 */
const EVERYTHING = ['test/**/*.test.ts'];
const QUICK = [
  'test/{architecture,config,contract,patterns}.test.ts',
  'test/{adapters,kernel,portfolio,rules,sandbox}/**/*.test.ts',
  'test/{db/batch*,metrics/alerts,webhooks/pace}.test.ts',
];
/** Tests that start many processes: one at a time, beside the others, since two at once take each other's time limits. */
const HEAVY = ['test/chaos/!(idle-streams|partner-streams|streams|verbs).test.ts'];
/** Tests with narrow time limits run after the others: those with a server one by one, and beside them those that mostly wait. */
const PRECISE = [
  'test/adapters/{exchange-budget,exchange-waiting,http,webhook-responses}.test.ts',
  'test/api/netvenue-{glitch,overload}.test.ts',
  'test/db/settled.test.ts',
  'test/api/statements.test.ts',
  'test/edge/bodies.test.ts',
  'test/kernel/cache.test.ts',
  'test/sql/log-volume.test.ts',
  'test/webhooks/pace.test.ts',
];
/** Tests that take longest: they start first, so that none of them runs alone at the end. */
const LONG = [
  'test/architecture/{changes,walks,tasks}.test.ts',
  'test/api/{generated,pages}.test.ts',
  'test/api/money/reliability.test.ts',
  'test/browser/axe.test.ts',
  'test/chaos/verbs.test.ts',
  'test/model/*.test.ts',
  'test/{processes,start}.test.ts',
  'test/docs/first-requests.test.ts',
];
const CORES = availableParallelism();
const AT_ONCE = 2 * CORES; // beside a heavy one; a test waits for other processes and for time limits two thirds of its time

/** Where test data lies: in memory, where Linux offers enough, since the tests create some hundred databases. */
const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4e9;
process.env.TMPDIR = hasRoom(MEMORY) ? MEMORY : tmpdir();

/** V8's compile cache of the sources: the tests start some hundred processes. */
const COMPILE_CACHE = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url));

const { values: options } = parseArgs({ options: { quick: { type: 'boolean' }, shuffle: { type: 'boolean' } } });
const files = found(options.quick ? QUICK : EVERYTHING);
const precise = found(PRECISE).filter((file) => files.includes(file));
const heavy = found(HEAVY).filter((file) => files.includes(file));
const withoutDatabase = found(QUICK);
const waiting = precise.filter((file) => withoutDatabase.includes(file));
const exact = precise.filter((file) => !waiting.includes(file));
const quick = withoutDatabase.filter((file) => !precise.includes(file));
const others = [...new Set([...found(LONG), ...files])].filter(
  (file) => files.includes(file) && ![...precise, ...heavy, ...quick].includes(file),
);
const MOST_AGAIN = 24;
const MOST_SHOWN = 20;

const shared = options.quick ? NO_SERVER : await startShared();
const runs = [
  ...(await Promise.all([withoutServer(), withServer(), mocha(heavy)])),
  ...(await Promise.all([mocha(waiting, { args: atOnce(CORES) }), mocha(exact)])),
];
const broken = runs.flatMap(({ failedFiles }) => failedFiles);
const hasCrashed = ({ code, failed }: Run) => code !== 0 && failed === 0;
const isWorthwhile = broken.length > 0 && broken.length <= MOST_AGAIN && !runs.some(hasCrashed);
const again = isWorthwhile ? await alone(broken) : runs;
await stopPostgres();
const total = (of: (run: Run) => number, all = runs) => all.reduce((sum, run) => sum + of(run), 0);
const failed = total((run) => run.failed, again);
const late = total((run) => run.failed) - failed;
const skipped = total((run) => run.skipped);
const [quickly, served, heavily, ...precisely] = runs.map(({ seconds }) => seconds);
console.log(
  `${quickly} s without a server, ${served} s with one, ${heavily} s of heavy files, then ${Math.max(...precisely)} s of precise ones`,
);
const slowest = runs.flatMap(({ long }) => long).toSorted((a, b) => b.seconds - a.seconds);
console.log(
  slowest
    .slice(0, MOST_SHOWN)
    .map(({ file, seconds }) => `${seconds} s ${file}`)
    .join('\n'),
);
if (late > 0) console.log(`${late} passed only alone, which is a defect of the test or of the code, in:`, broken);
console.log(
  `${total((run) => run.passed) + late} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
);
process.exitCode = failed > 0 || [...runs, ...again].some(hasCrashed) ? 1 : 0;

/** Those of test:quick, which compute more than they wait: each process more would load and warm the same code. */
function withoutServer(): Promise<Run> {
  return mocha(quick, { server: NO_SERVER, args: atOnce(CORES) });
}

function withServer(): Promise<Run> {
  return mocha(others, { args: atOnce(AT_ONCE) });
}

/** The arguments for so many processes. */
function atOnce(processes: number): string[] {
  return ['--parallel', '--jobs', String(processes)];
}

/** Runs the files with failures once more; those of test:quick still without a server. */
async function alone(broken: string[]): Promise<Run[]> {
  const isQuick = (file: string) => quick.some((name) => resolve(name) === file);
  return [
    await mocha(broken.filter(isQuick), { server: NO_SERVER }),
    await mocha(broken.filter((file) => !isQuick(file))),
  ];
}

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= ENOUGH_BYTES;
}

function found(patterns: string[]): string[] {
  return patterns.flatMap((pattern) => globSync(pattern, { exclude: ['**/node_modules/**'] }).sort());
}

/** Closing figures of a run of mocha, its exit code, and the files with failures. */
type Run = {
  code: number;
  passed: number;
  failed: number;
  skipped: number;
  failedFiles: string[];
  /** Seconds of the run, and of its long files. */
  seconds: number;
  long: { file: string; seconds: number }[];
};

/**
 * Runs mocha on these files; the run ends with this process, and there is none without files. Its output is passed on, but for
 * the lines it closes with, by paragraphs: the lines of two runs do not mix within one.
 */
async function mocha(chosen: string[], { server = shared, args = [] as string[] } = {}): Promise<Run> {
  const run: Run = { code: 0, passed: 0, failed: 0, skipped: 0, failedFiles: [], seconds: 0, long: [] };
  const begunAt = performance.now();
  if (chosen.length === 0) return run;
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, TEST_SERVER: server };
  const inOrder = options.shuffle ? chosen.toSorted(() => Math.random() - 0.5) : chosen;
  const child = spawn('mocha', [...inOrder, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env });
  process.once('exit', () => child.kill());
  const paragraph: string[] = [];
  const passOn = () => console.log(paragraph.splice(0).join('\n'));
  createInterface(child.stdout).on('line', (line) => {
    const file = /^failed file: (.*)$/.exec(line)?.[1];
    const closing = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/.exec(line);
    const [, seconds, long] = /^(\d+) s in (.*)$/.exec(line) ?? [];
    if (file) run.failedFiles.push(file);
    else if (long) run.long.push({ file: relative('.', long), seconds: Number(seconds) });
    else if (closing)
      [run.passed, run.failed, run.skipped] = closing.slice(1).map((n) => Number(n ?? 0)) as [number, number, number];
    else paragraph.push(line);
    if (line === '') passOn();
  });
  const [code] = await once(child, 'close');
  passOn();
  return { ...run, code: code ?? 1, seconds: Math.round((performance.now() - begunAt) / 1_000) };
}
