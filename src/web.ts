import { compiled } from './runtime/compile-cache.ts';

// The HTTP edge, as a process of its own.
const { runWeb } = await compiled(() => import('./runtime/web-process.ts'));
await runWeb();
