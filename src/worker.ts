import { compiled } from './runtime/compile-cache.ts';

// The task runners, as a process of their own.
const { runWorker } = await compiled(() => import('./runtime/worker-process.ts'));
await runWorker();
