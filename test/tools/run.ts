import { spawnSync } from 'node:child_process';
import { commandOf, install } from './install.ts';

/*
 * npm run bench, mutants, coverage and format: installs what this folder needs, at first use and after a change of its lock file, and runs the
 * tool with the arguments that follow its name. The tools describe their arguments.
 */
const tools: Record<string, () => unknown> = {
  bench: () => import('./bench/run.ts'),
  mutants: () => import('./mutants/run.ts'),
  coverage: () => run('c8', ['mocha', 'test/**/*.test.ts', '--ignore', 'test/tools/node_modules/**']),
  format: () => run('biome', ['check', '--write', ...process.argv.slice(2)]),
};

function run(command: string, args: string[]): void {
  process.exitCode = spawnSync(commandOf(command), args, { stdio: 'inherit' }).status ?? 1;
}

const [name = ''] = process.argv.splice(2, 1);
const tool = tools[name];
if (!tool) throw new Error(`No tool ${name}; there are ${Object.keys(tools).join(', ')}.`);
install();
await tool();
