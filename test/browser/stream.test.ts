import { createServer, request, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import { EventSource } from 'eventsource';
import { sql } from 'slonik';
import { needsBrowser, openBrowser } from '../support/browser.ts';
import { startPages } from '../support/client-pages.ts';
import { eventually } from '../support/money.ts';
import { effectsOf, limit } from '../support/orders.ts';
import { startTrading, type TestTrader, TRADING, type Trading } from '../support/trading.ts';

const STREAM = `${TRADING}/stream`;
const ROUNDS = 3;

/**
 * A partner's server: a page, and the stream behind it with the credentials that a browser's EventSource cannot send.
 */
type Front = { url: string; resumed: (string | undefined)[]; dropAll(): void; close(): Promise<void> };

async function startFront(service: string, apiKey: string): Promise<Front> {
  const sockets = new Set<Socket>();
  const resumed: (string | undefined)[] = [];
  const server: Server = createServer((incoming, response) => {
    if (incoming.url !== STREAM) return void response.setHeader('Content-Type', 'text/html').end(PAGE);
    const lastEventId = incoming.headers['last-event-id'];
    resumed.push(lastEventId?.toString());
    const headers = {
      'X-Api-Key': String(incoming.headers['x-api-key'] ?? apiKey),
      ...(lastEventId && { 'Last-Event-ID': lastEventId }),
    };
    const onwards = request(service + STREAM, { headers, agent: false }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, { 'Content-Type': reply.headers['content-type'] ?? 'text/plain' });
      reply.on('error', () => response.destroy()).pipe(response);
    });
    onwards.on('error', () => response.destroy());
    response.on('close', () => onwards.destroy());
    onwards.end();
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // as: it listens on TCP
    resumed,
    dropAll: () => {
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const PAGE = `<!doctype html><title>Desk</title><script>
  const seen = [];
  const source = new EventSource('${STREAM}');
  for (const type of ['snapshot', 'order', 'position', 'account'])
    source.addEventListener(type, ({ lastEventId, data }) => seen.push({ type, id: lastEventId, data: JSON.parse(data) }));
</script>`;

type Seen = { type: string; id: string };

describe('third-party clients of the stream', function () {
  this.timeout(60_000);
  let service: Trading;
  let trader: TestTrader;
  let front: Front;
  before(async () => {
    service = await startTrading();
  });
  after(() => service.stop());
  beforeEach(async () => {
    trader = await service.propTrader();
    front = await startFront(service.url, (await trader.key()).api_key);
  });
  afterEach(() => front.close());

  /** Places an order while connected and one while the connection is broken, several times. */
  async function tradeOverDrops(seen: () => Promise<Seen[]>) {
    await eventually(async () => (await seen()).some(({ type }) => type === 'snapshot'));
    for (let round = 1; round <= ROUNDS; round += 1) {
      await trader.ask('POST', `${TRADING}/orders`, { json: limit() });
      await eventually(async () => (await seen()).filter(({ type }) => type === 'order').length === 2 * round - 1);
      front.dropAll();
      await trader.ask('POST', `${TRADING}/orders`, { json: limit() });
      await eventually(async () => (await seen()).filter(({ type }) => type === 'order').length === 2 * round, 15_000);
    }
    return seen();
  }

  function expectWhole(seen: Seen[]): void {
    const positions = seen.map(({ id }) => Number(id.split(':')[1]));
    expect(seen.filter(({ type }) => type === 'snapshot')).to.have.length(1);
    expect(positions).to.deep.equal(positions.map((_, n) => Number(positions[0]) + n));
    expect(front.resumed.filter(Boolean)).to.have.length.of.at.least(ROUNDS);
  }

  it('the EventSource of a browser reads and resumes, through the server that holds the key', async function () {
    needsBrowser(this);
    const { page, close } = await openBrowser();
    await page.goto(front.url);

    const seen = await tradeOverDrops(() => page.evaluate<Seen[]>('seen'));
    await close();

    expectWhole(seen);
  });

  it('the eventsource of npm reads and resumes with its own credentials', async () => {
    const { api_key } = await trader.key();
    const seen: Seen[] = [];
    const source = new EventSource(front.url + STREAM, {
      fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, 'X-Api-Key': api_key } }),
    });
    for (const type of ['snapshot', 'order', 'position', 'account'])
      source.addEventListener(type, ({ lastEventId }) => seen.push({ type, id: lastEventId }));

    const all = await tradeOverDrops(async () => [...seen]);
    source.close();

    expectWhole(all);
  });

  it('the client trades and reads in a browser, with a trader’s key, from an origin that the app allows', async function () {
    needsBrowser(this);
    const pages = await startPages();
    const { api_key } = await trader.key();
    await service.db.query(sql.unsafe`
      update apps set allowed_origins = ${sql.array([pages.origin], 'text')} where id = ${service.tenant.appId}`);
    const { page, complaints, close } = await openBrowser();
    await page.goto(pages.origin);
    await page.waitForFunction('window.trade !== undefined');

    const done = await page.evaluate(`trade(${JSON.stringify(service.url)}, ${JSON.stringify(api_key)})`);
    await close();
    pages.close();

    expect(complaints).to.deep.equal([]);
    expect(done).to.deep.equal({
      status: 'accepted',
      seen: ['snapshot', 'order'],
      held: ['BTCUSDC'],
      wrong: 'V2_NO_POSITION',
      forged: 'signature_missing',
    });
    expect(effectsOf(service, trader)).to.have.length(1);
  });
});
