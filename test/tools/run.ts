import { spawnSync } from 'node:child_process';
import { commandOf, install } from './install.ts';

/*
 * npm run bench, mutants and format: installs what this folder needs, at first use and after a change of its lock file, and runs the
 * tool with the arguments that follow its name. The tools describe their arguments.
 */
const tools: Record<string, () => unknown> = {
  bench: () => import('./bench/run.ts'),
  mutants: () => import('./mutants/run.ts'),
  format: () => {
    const args = ['check', '--write', ...process.argv.slice(2)];
    process.exitCode = spawnSync(commandOf('biome'), args, { stdio: 'inherit' }).status ?? 1;
  },
};

const [name = ''] = process.argv.splice(2, 1);
const run = tools[name];
if (!run) throw new Error(`No tool ${name}; there are ${Object.keys(tools).join(', ')}.`);
install();
await run();
