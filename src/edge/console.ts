import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type Router from '@koa/router';
import { requiredRoles } from '../contract/roles.ts';
import { DECIMALS } from '../kernel/currencies.ts';
import { coveredRoles } from '../kernel/operator-roles.ts';
import { sendDocument, staticDocument } from './static.ts';

const folder = fileURLToPath(new URL('../console', import.meta.url));
const samples = fileURLToPath(new URL('docs/assets/samples.js', import.meta.url));
/** Files of packages: each script is a browser build, one ES module without imports. */
const packaged = {
  'uqr.js': 'uqr',
  'uplot.js': 'uplot/dist/uPlot.esm.js',
  'uplot.css': 'uplot/dist/uPlot.min.css',
};
/** What the pages would otherwise list a second time. Each is an export of `/admin/tables.js`. */
const tables = { decimals: DECIMALS, requiredRoles, coveredRoles };
const types: Record<string, string> = { '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml' };

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'", // blocks accidental conversion of text to markup
  "trusted-types 'none'",
].join('; ');

const headers = {
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
};

/**
 * Serves the operators' console at /admin and the workbench of partners and apps at /workbench. Their files contain no secrets; they
 * load all data with the operator's session, or with the credentials that a person enters.
 */
export function serveConsole(router: Router): void {
  router.get('/admin/', (ctx) => ctx.redirect('/admin'));
  serve(router, '/admin', 'text/html', readFileSync(path.join(folder, 'index.html')));
  router.get('/workbench/', (ctx) => ctx.redirect('/workbench'));
  serve(router, '/workbench', 'text/html', readFileSync(path.join(folder, 'workbench/index.html')));
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = types[path.extname(name)];
    if (type) serve(router, `/admin/${name}`, type, readFileSync(path.join(folder, name)));
  }
  for (const [name, file] of Object.entries(packaged))
    serve(
      router,
      `/admin/${name}`,
      String(types[path.extname(name)]),
      readFileSync(fileURLToPath(import.meta.resolve(file))),
    );
  const exported = Object.entries(tables).map(([name, table]) => `export const ${name} = ${JSON.stringify(table)};\n`);
  serve(router, '/admin/tables.js', 'text/javascript', Buffer.from(exported.join('')));
  serve(router, '/admin/samples.js', 'text/javascript', readFileSync(samples));
}

function serve(router: Router, at: string, type: string, bytes: Buffer): void {
  const document = staticDocument(type, bytes);
  router.get(at, (ctx) => {
    ctx.set(headers);
    sendDocument(ctx, document);
  });
}
