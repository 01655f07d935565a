import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { NO_SERVER, startShared, stopPostgres } from './support/postgres.ts';

/*
 * npm test [-- --shuffle] runs every test; npm run test:quick those that need no database. The last line is "N passed,
 * N failed", and ", N skipped" if any were.
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
  'test/adapters/{exvenue-budget,exvenue-waiting,http,webhook-answers}.test.ts',
  'test/db/settled.test.ts',
  'test/kernel/fresh.test.ts',
  'test/patterns.test.ts',
  'test/webhooks/pace.test.ts',
];
const AT_ONCE = 2 * availableParallelism(); // most tests wait for another process most of the time

/** V8's compile cache of the sources: the tests start some hundred processes. */
const COMPILE_CACHE = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url));

const { values: options } = parseArgs({ options: { quick: { type: 'boolean' }, shuffle: { type: 'boolean' } } });
const files = found(options.quick ? QUICK : EVERYTHING);
const precise = found(PRECISE).filter((file) => files.includes(file));
const others = files.filter((file) => !precise.includes(file));
const counted = new Map<string, number>();

const server = options.quick ? NO_SERVER : await startShared();
const failed = await mocha([...inOrder(others), '--parallel', '--jobs', String(AT_ONCE)]);
const failedAlone = await mocha(inOrder(precise));
await stopPostgres();
console.log([...counted].map(([what, n]) => `${n} ${what}`).join(', '));
process.exitCode = failed || failedAlone;

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

/**
 * One run of mocha, which ends with this process; its output is passed on, and the figures of its closing line are
 * added up. Returns its exit code.
 */
async function mocha(args: string[]): Promise<number> {
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, TEST_SERVER: server };
  const run = spawn('mocha', args, { stdio: ['ignore', 'pipe', 'inherit'], env });
  process.once('exit', () => run.kill());
  createInterface(run.stdout).on('line', (line) => {
    const summary = /^\d+ passed, \d+ failed/.test(line);
    if (!summary) console.log(line);
    else
      for (const [, n, what] of line.matchAll(/(\d+) (\w+)/g))
        counted.set(`${what}`, (counted.get(`${what}`) ?? 0) + Number(n));
  });
  const [code] = await once(run, 'close');
  return code ?? 1;
}
