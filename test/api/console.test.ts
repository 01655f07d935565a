import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import ts from 'typescript';
import { type Identity, startIdentity } from '../support/identity.ts';
import { readQrCode } from '../support/qr.ts';

const folder = fileURLToPath(new URL('../../src/console', import.meta.url));

describe('the console at /admin, without a browser', () => {
  let service: Identity;
  before(async () => {
    service = await startIdentity({}, false);
  });
  after(() => service.stop());

  const get = (path: string) => fetch(service.url + path, { redirect: 'manual' });

  it('serves the page and every file it references, each under a policy that allows nothing else', async () => {
    const files = (await readdir(folder, { recursive: true })).filter((name) => /\.(js|css|svg)$/.test(name));
    const page = await (await get('/admin')).text();
    const named = [...page.matchAll(/(?:src|href)="(\/admin\/[^"]+)"/g)].map(([, path]) => path ?? '');

    expect(named).to.include.members(['/admin/main.js', '/admin/style.css']);
    for (const path of [
      '/admin',
      '/admin/uqr.js',
      '/admin/uplot.js',
      ...named,
      ...files.map((name) => `/admin/${name}`),
    ]) {
      const { status, headers } = await get(path);
      const policy = headers.get('content-security-policy')?.split('; ');

      expect(status, path).to.equal(200);
      expect(headers.get('content-type'), path).to.equal(typeOf(path));
      expect(policy, path).to.include.members([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]);
      expect(policy?.join(), path).not.to.match(/unsafe|\*|https?:/);
      expect(headers.get('referrer-policy'), path).to.equal('no-referrer');
      expect(headers.get('cross-origin-opener-policy'), path).to.equal('same-origin');
      expect(headers.get('cache-control'), path).to.equal('no-cache');
      expect(headers.get('x-content-type-options'), path).to.equal('nosniff');
    }
  });

  it('serves nothing else from its folder, and sends unchanged files only once', async () => {
    const { headers } = await get('/admin/main.js');
    const conditional = request(`${service.url}/admin/main.js`, {
      headers: { 'If-None-Match': headers.get('etag') ?? '' },
    });
    const [again]: IncomingMessage[] = await once(conditional.end(), 'response'); // fetch always requests a fresh response
    const slashed = await get('/admin/');

    expect([slashed.status, slashed.headers.get('location')]).to.deep.equal([302, '/admin']);
    expect(again?.statusCode).to.equal(304);
    again?.resume();
    for (const path of ['/admin/tsconfig.json', '/admin/uqr.d.ts', '/admin/%2e%2e/web.ts', '/admin/..%2fweb.ts'])
      expect((await get(path)).status, path).to.equal(404);
  });

  const PAGES: Record<string, string> = { 'index.html': '/admin', 'workbench/index.html': '/workbench' };

  it('has no script or style inside the page, no external address, and never renders text as markup', async () => {
    const page = await (await get('/admin')).text();

    expect(page).not.to.match(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
    for (const name of (await readdir(folder, { recursive: true })).filter((name) => /\.(js|css|html)$/.test(name))) {
      const text = await (await get(PAGES[name] ?? `/admin/${name}`)).text();
      expect(text, name).not.to.match(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/);
      expect(text.replace('http://www.w3.org/2000/svg', ''), name).not.to.match(/https?:\/\//);
      expect(text, name).not.to.match(/localStorage|sessionStorage|indexedDB|document\.cookie|caches\./);
      expect(text.split('\n').length, name).to.be.at.most(251);
    }
  });

  it('shows secrets only in responses that must not be stored', async () => {
    const unenrolled = await service.admin(false);
    const operator = await service.admin();
    const app = await operator.ask('POST', '/v2/admin/apps', { json: { name: 'Example', slug: 'kept-nowhere' } });
    const partner = await operator.ask('POST', '/v2/admin/partners', { json: { name: 'Example' } });

    const shown = [
      await unenrolled.ask('POST', '/v2/admin/totp/enroll'),
      app,
      partner,
      await operator.ask('POST', `/v2/admin/apps/${app.body.app_id}/rotate-secret`),
      await operator.ask('POST', `/v2/admin/partners/${partner.body.partner_id}/keys`),
    ];

    for (const { status, headers, body } of shown) {
      expect(status).to.equal(200);
      expect(headers.get('cache-control'), Object.keys(body).join()).to.equal('no-store');
    }
  });

  it('requests only paths and members, and reads only responses, that the contract has', function () {
    this.timeout(60_000);
    const { config } = ts.readConfigFile(`${folder}/tsconfig.json`, ts.sys.readFile);
    const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, folder);

    const program = ts.createProgram(fileNames, options);
    const reported = ts
      .getPreEmitDiagnostics(program)
      .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);

    expect(fileNames.length).to.be.above(20);
    expect(reported).to.deep.equal([]);
  });

  it('serves a drawer of charts as one module without imports, which writes no markup', async () => {
    const served = await (await get('/admin/uplot.js')).text();

    const { default: Plot } = await import(`data:text/javascript,${encodeURIComponent(served)}`);

    expect(Plot.tzDate(new Date('2026-03-29T01:30:00Z'), 'Etc/UTC').getHours()).to.equal(1);
    expect(served).not.to.match(/^\s*import\b|\bimport\(|\beval\b|new Function|innerHTML/m);
  });

  it('serves an encoder of QR codes as one module without imports, whose codes a reader can decode', async () => {
    const text = 'otpauth://totp/Service:operator%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=Service';
    const served = await (await get('/admin/uqr.js')).text();

    const { encode } = await import(`data:text/javascript,${encodeURIComponent(served)}`);
    const rows: boolean[][] = encode(text, { ecc: 'M', border: 4 }).data;
    const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : []))).join('');

    expect(served).not.to.match(/^\s*import\b|\bimport\(|\beval\b|new Function|innerHTML/m);
    expect(path).to.match(/^M4 4h/); // the quiet zone of ISO/IEC 18004
    expect(readQrCode(path)).to.equal(text);
  });
});

function typeOf(path: string): string {
  if (path.endsWith('.js')) return 'text/javascript; charset=utf-8';
  if (path.endsWith('.css')) return 'text/css; charset=utf-8';
  return path.endsWith('.svg') ? 'image/svg+xml' : 'text/html; charset=utf-8';
}
