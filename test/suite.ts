import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
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
/**
 * Tests that start many processes, the longest first: they are spread among the others, so that few run at once and
 * none at the end.
 */
const HEAVY = [
  'test/chaos/{exchange,kill,lanes,registrations,rotation,standby}.test.ts',
  'test/chaos/*.test.ts',
  'test/{processes,start}.test.ts',
  'test/browser/*.test.ts',
];
const LIGHT_BETWEEN = 6;
/** Tests with narrow time limits: these few files run one by one, after the others. */
const PRECISE = [
  'test/adapters/{exchange-budget,exchange-waiting,http,webhook-responses}.test.ts',
  'test/db/settled.test.ts',
  'test/kernel/cache.test.ts',
  'test/patterns.test.ts',
  'test/webhooks/pace.test.ts',
];
const AT_ONCE = 2 * availableParallelism(); // most tests wait for another process most of the time

/** Where test data lies: in memory, where Linux offers enough, since the tests create some hundred databases. */
const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4e9;
process.env.TMPDIR = hasRoom(MEMORY) ? MEMORY : tmpdir();

/** V8's compile cache of the sources: the tests start some hundred processes. */
const COMPILE_CACHE = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url));

const { values: options } = parseArgs({ options: { quick: { type: 'boolean' }, shuffle: { type: 'boolean' } } });
const files = found(options.quick ? QUICK : EVERYTHING);
const precise = found(PRECISE).filter((file) => files.includes(file));
const others = files.filter((file) => !precise.includes(file));
const MOST_AGAIN = 24;

const server = options.quick ? NO_SERVER : await startShared();
const runs = [
  await mocha([...inOrder(others), '--parallel', '--jobs', String(AT_ONCE)]),
  await mocha(inOrder(precise)),
];
const total = (of: (run: Run) => number) => runs.reduce((sum, run) => sum + of(run), 0);
const broken = runs.flatMap(({ failedFiles }) => failedFiles);
const hasCrashed = runs.some(({ code, failed }) => code !== 0 && failed === 0);
const again = !hasCrashed && broken.length > 0 && broken.length <= MOST_AGAIN ? await mocha(broken) : null;
await stopPostgres();
const failed = again?.failed ?? total((run) => run.failed);
const late = total((run) => run.failed) - failed;
const skipped = total((run) => run.skipped);
if (late > 0) console.log(`${late} passed only alone, which is a defect of the test or of the code, in:`, broken);
console.log(
  `${total((run) => run.passed) + late} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
);
process.exitCode = hasCrashed || failed > 0 ? 1 : 0;

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= ENOUGH_BYTES;
}

function found(patterns: string[]): string[] {
  return patterns.flatMap((pattern) => globSync(pattern).sort());
}

function inOrder(chosen: string[]): string[] {
  if (options.shuffle) return chosen.sort(() => Math.random() - 0.5);
  const heavy = [...new Set(found(HEAVY))].filter((file) => chosen.includes(file));
  const light = chosen.filter((file) => !heavy.includes(file));
  const spread = light.flatMap((file, n) => [...(n % LIGHT_BETWEEN === 0 ? heavy.splice(0, 1) : []), file]);
  return [...spread, ...heavy];
}

/** Closing figures of a run of mocha, its exit code, and the files with failures. */
type Run = { code: number; passed: number; failed: number; skipped: number; failedFiles: string[] };

/** One run of mocha, which ends with this process; its output is passed on, but for the lines it closes with. */
async function mocha(args: string[]): Promise<Run> {
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, TEST_SERVER: server };
  const child = spawn('mocha', args, { stdio: ['ignore', 'pipe', 'inherit'], env });
  process.once('exit', () => child.kill());
  const run: Run = { code: 1, passed: 0, failed: 0, skipped: 0, failedFiles: [] };
  createInterface(child.stdout).on('line', (line) => {
    const file = /^failed file: (.*)$/.exec(line)?.[1];
    const closing = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/.exec(line);
    if (file) run.failedFiles.push(file);
    else if (closing)
      [run.passed, run.failed, run.skipped] = closing.slice(1).map((n) => Number(n ?? 0)) as [number, number, number];
    else console.log(line);
  });
  const [code] = await once(child, 'close');
  return { ...run, code: code ?? 1 };
}
