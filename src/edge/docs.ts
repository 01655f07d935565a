import type Router from '@koa/router';
import { sendCompressed } from './static.ts';

const REVALIDATED = 'no-cache'; // changes with a release: clients cache it and revalidate it on each use

/**
 * Serves the contract at /openapi.json, and at /docs the guides, the error catalogue and an interactive reference. The
 * pages load nothing from other hosts. Their code is imported, and each page rendered, at its first request.
 */
export function serveDocs(router: Router): void {
  router.get('/docs/', (ctx) => ctx.redirect('/docs'));
  router.get(['/openapi.json', '/docs', '/docs/*path'], async (ctx) => {
    const { findFile } = await import('./docs/site.ts');
    const file = await findFile(ctx.path);
    if (!file) return;
    ctx.set('Cache-Control', file.caching ?? REVALIDATED);
    if (file.policy) ctx.set('Content-Security-Policy', file.policy);
    await sendCompressed(ctx, file.document);
  });
}
