import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import PQueue from 'p-queue';
import { commandOf, install } from './tools/install.ts';

/*
 * npm run check: types, lint and format, unused code, architecture, contract and the layout of SQL; what can be said of the code in two
 * minutes. Runs every step, as many at once as there are cores, prints what a failed one printed, and names them at the end.
 */
const MOCHA = [
  'test/architecture.test.ts',
  'test/architecture/*.test.ts',
  'test/docs/guides.test.ts',
  'test/contract.test.ts',
  'test/contract/*.test.ts',
  'test/sql/@(layout|schema).test.ts', // mocha expands no braces alone
];
const SERVED = 'test/architecture/{walks,changes}.test.ts'; // they run the service

/** Types of a project; what has not changed since the last run is not checked again. */
const types = (project: string, name: string) =>
  ['tsc', '-p', project, '--incremental', '--tsBuildInfoFile', `node_modules/.cache/check/${name}.json`] as const;

install();
const steps: Record<string, readonly [command: string, ...args: string[]]> = {
  types: types('.', 'all'),
  'architecture and contract': ['mocha', '--reporter', 'dot', ...MOCHA, '--ignore', SERVED],
  'types of the tools': types('test/tools', 'tools'),
  'linters of the contract': ['mocha', '--reporter', 'dot', 'test/tools/contract-lint.ts'],
  'unused code': [commandOf('knip')],
  'lint and format': [commandOf('biome'), 'check'],
  'types of the console': types('src/console', 'console'),
  'types of the client': types('src/client', 'client'),
};

const queue = new PQueue({ concurrency: availableParallelism() });
const failed = (await queue.addAll(Object.keys(steps).map((name) => () => run(name)))).filter((name) => name !== null);
if (failed.length > 0) console.log(`\nfailed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;

/** Returns the name of a step that failed, else null. */
async function run(name: string): Promise<string | null> {
  const [command = '', ...args] = steps[name] ?? [];
  const startedAt = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const printed: Buffer[] = [];
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => printed.push(chunk));
  const code = await new Promise((resolve) => {
    child.once('error', resolve).once('close', resolve);
  });
  const seconds = `${Math.round((performance.now() - startedAt) / 1_000)} s`;
  console.log(code === 0 ? `${name}: ${seconds}` : `${name}: FAILED, ${seconds}\n${Buffer.concat(printed)}`);
  return code === 0 ? null : name;
}
