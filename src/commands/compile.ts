import { flushCompileCache } from 'node:module';
import { listTaskNames, TASKS } from '../intents/task.ts';
import { compiled } from '../runtime/compile-cache.ts';

/*
 * npm run ops -- compile keeps the compiled code of web and worker. Without it the first start after an
 * installation takes longer, and the process keeps the compiler in memory. Run it where the service is installed.
 */
const programs = ['web', 'worker'].map((name) => new URL(`../runtime/${name}-process.ts`, import.meta.url));
const tasks = listTaskNames().map((name) => new URL(`${name}.ts`, TASKS));
for (const { href } of [...programs, ...tasks]) await compiled(() => import(href));
flushCompileCache();
