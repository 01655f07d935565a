import { compiled } from './runtime/compile-cache.ts';

// All processes in one; without DATABASE_URL also the database and every upstream.
const { runAll } = await compiled(() => import('./runtime/start.ts'));
await runAll();
