import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type Router from '@koa/router';
import { digest } from '../kernel/digest.ts';
import { joinedModule } from './commonjs.ts';

const folder = fileURLToPath(new URL('../console', import.meta.url));
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
  "require-trusted-types-for 'script'", // no text becomes markup, not even by mistake
  "trusted-types 'none'",
].join('; ');

const headers = {
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
};

/** Serves the operator's console at /admin. Its files hold nothing secret; what they show, they ask for with the operator's session. */
export function serveConsole(router: Router): void {
  router.get('/admin/', (ctx) => ctx.redirect('/admin'));
  serve(router, '/admin', 'text/html', readFileSync(path.join(folder, 'index.html')));
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = types[path.extname(name)];
    if (type) serve(router, `/admin/${name}`, type, readFileSync(path.join(folder, name)));
  }
  serve(
    router,
    '/admin/qrcode.js',
    'text/javascript',
    Buffer.from(joinedModule('qrcode/lib/core/qrcode.js', ['create'])),
  );
}

function serve(router: Router, at: string, type: string, bytes: Buffer): void {
  const etag = digest(bytes.toString()).toString('base64url');
  router.get(at, (ctx) => {
    ctx.set(headers);
    ctx.type = type;
    ctx.etag = etag;
    ctx.status = 200; // which `fresh` wants to see
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = bytes;
  });
}
