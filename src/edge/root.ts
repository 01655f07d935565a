import type Router from '@koa/router';

const links = {
  guides: '/docs',
  reference: '/docs/reference',
  errors: '/docs/errors',
  contract: '/openapi.json',
  console: '/admin',
  health: '/healthz',
  authorization_server: '/.well-known/oauth-authorization-server',
};

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Trading Partner Service</title>
</head>
<body>
<h1>Trading Partner Service</h1>
<ul>
${Object.entries(links)
  .map(([name, path]) => `<li><a href="${path}">${name.replaceAll('_', ' ')}</a></li>`)
  .join('\n')}
</ul>
</body>
</html>
`;

/** Serves `/`: links to what is served for people and tools, as JSON, or as a page for browsers. */
export function serveRoot(router: Router): void {
  router.get('/', (ctx) => {
    ctx.vary('Accept');
    ctx.set('Cache-Control', 'no-cache');
    if (ctx.accepts('json', 'html') === 'html') {
      ctx.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
      ctx.type = 'text/html';
      ctx.body = page;
    } else ctx.body = { name: 'Trading Partner Service', links };
  });
}
