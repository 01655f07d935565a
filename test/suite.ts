import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** What measures time or memory, and would measure its neighbour beside it: each of these runs alone. */
const ALONE = [
  'test/api/timing.test.ts',
  'test/bench/**/*.test.ts',
  'test/chaos/idle-streams.test.ts',
  'test/start.test.ts',
  'test/webhooks/hanging.test.ts',
  'test/webhooks/throughput.test.ts',
];
const EVERYTHING = 'test/**/*.test.ts';
const AT_ONCE = 2; // the cores that the promises name

const counted = new Map<string, number>();

/** Runs every test: most of them two files at once, then one by one those that need the machine for themselves. */
const together = await mocha([
  EVERYTHING,
  '--parallel',
  '--jobs',
  String(AT_ONCE),
  ...ALONE.flatMap((files) => ['--ignore', files]),
]);
const alone = await mocha(ALONE);
console.log([...counted].map(([what, n]) => `${n} ${what}`).join(', '));
process.exitCode = together || alone;

/** One run of mocha, its output passed on; the figures of its closing line are added up. Answers its exit code. */
async function mocha(args: string[]): Promise<number> {
  const run = spawn('mocha', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  createInterface(run.stdout).on('line', (line) => {
    const closing = /^\d+ passed, \d+ failed/.test(line);
    if (!closing) console.log(line);
    else
      for (const [, n, what] of line.matchAll(/(\d+) (\w+)/g))
        counted.set(`${what}`, (counted.get(`${what}`) ?? 0) + Number(n));
  });
  const [code] = await once(run, 'close');
  return code ?? 1;
}
