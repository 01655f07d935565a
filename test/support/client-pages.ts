import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import ts from 'typescript';

/** A page of a partner's own origin, with the files of the client as modules. */
export async function startPages(): Promise<{ origin: string; close(): void }> {
  const server = createServer(async ({ url = '/' }, response) => {
    if (url === '/') return void response.setHeader('Content-Type', 'text/html').end(CLIENT_PAGE);
    const [, folder = '', file = ''] = /^\/(client|openapi-fetch)\/([\w-]+\.m?[jt]s)$/.exec(url) ?? [];
    if (file === '') return void response.writeHead(404).end();
    const at = folder === 'client' ? `../../src/client/${file}` : `../../node_modules/openapi-fetch/dist/${file}`;
    const text = await readFile(new URL(at, import.meta.url), 'utf8');
    response.setHeader('Content-Type', 'text/javascript');
    response.end(folder === 'client' ? ts.transpileModule(text, { compilerOptions }).outputText : text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // as: it listens on TCP
  return {
    origin: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true };

const CLIENT_PAGE = `<!doctype html><title>Desk</title>
<script type="importmap">{"imports": {"openapi-fetch": "/openapi-fetch/index.mjs"}}</script>
<script type="module">
  import { connect, verifyWebhook } from '/client/index.ts';
  window.trade = async (baseUrl, apiKey) => {
    const { api, settled, rows, events } = connect({ baseUrl, credentials: { apiKey } });
    const seen = [];
    const body = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.1 };
    let placed;
    for await (const { type } of events('/v2/trading/stream')) {
      seen.push(type);
      if (type === 'order') break;
      placed ??= await settled(api.POST('/v2/trading/orders', { params: { header: { Prefer: 'wait=0' } }, body }));
    }
    const held = [];
    for await (const { trade_pair } of rows(api.GET('/v2/trading/positions'))) held.push(trade_pair);
    const wrong = await settled(api.POST('/v2/trading/orders/close', { body: { trade_pair: 'ETHUSDC' } })).catch((e) => e.code);
    const forged = await verifyWebhook({ body: '{}', headers: {}, secret: 'whsec_AAAA' }).catch((e) => e.reason);
    return { status: placed.status, seen, held, wrong, forged };
  };
</script>`;
