import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type Router from '@koa/router';
import { document } from '../contract/document.ts';
import { withNullableRequests } from '../contract/nullable.ts';
import { ERRORS_PATH, errorsPage } from './error-docs.ts';
import { publicDocument } from './static.ts';

const assets = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const served = { 'swagger-ui.css': 'text/css', 'swagger-ui-bundle.js': 'text/javascript' };

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Trading Partner Service: reference</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
const start = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, validatorUrl: null });\n`;

const POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";
const REVALIDATED = 'no-cache'; // changes with a release: clients cache it and revalidate it on each use
const FOR_A_DAY = 'public, max-age=86400'; // files of a package seldom change

type Document = { type: string; body: string | Buffer; caching: string; policy?: string };

/**
 * Serves the contract at /openapi.json, an interactive reference at /docs and the error catalogue at /docs/errors. The
 * reference loads nothing from other hosts.
 */
export function serveDocs(router: Router): void {
  const json = JSON.stringify(withNullableRequests(document));
  serve(router, '/openapi.json', { type: 'application/json', body: json, caching: REVALIDATED });
  router.get('/docs/', (ctx) => ctx.redirect('/docs'));
  serve(router, '/docs', { type: 'text/html', body: page, caching: REVALIDATED, policy: POLICY });
  serve(router, ERRORS_PATH, { type: 'text/html', body: errorsPage, caching: REVALIDATED, policy: POLICY });
  serve(router, '/docs/start.js', { type: 'text/javascript', body: start, caching: REVALIDATED });
  for (const [file, type] of Object.entries(served)) {
    const body = readFileSync(path.join(assets, file));
    serve(router, `/docs/${file}`, { type, body, caching: FOR_A_DAY });
  }
}

function serve(router: Router, at: string, { type, body, caching, policy }: Document): void {
  router.get(at, ...publicDocument, (ctx) => {
    ctx.type = type;
    ctx.set('Cache-Control', caching);
    if (policy) ctx.set('Content-Security-Policy', policy);
    ctx.body = body;
  });
}
