import { expect } from 'chai';
import { sql } from 'slonik';
import { type Client, connect, type StreamEvent, verifyWebhook } from '../../src/client/index.ts';
import { compileExamples, cutAfterFirstEvent, runExamples } from '../support/client.ts';
import { atOnce, type TestApp } from '../support/identity.ts';
import { eventually } from '../support/money.ts';
import { effectsOf, limit, market } from '../support/orders.ts';
import { startReceiver } from '../support/receivers.ts';
import { type Relay, relayTo } from '../support/relay.ts';
import { startTrading, type Trading } from '../support/trading.ts';

const ORDERS = '/v1/orders/netvenue';
type Order = { trade_pair: string; order_type: 'LONG'; execution_type: 'MARKET'; leverage?: number };

describe('the client, at the service', function () {
  this.timeout(60_000);
  let service: Trading;
  let relay: Relay;
  let app: TestApp;
  before(async () => {
    service = await startTrading();
    relay = await relayTo(service.url);
    app = await service.app(['api', 'webhooks', 'trading']);
  });
  beforeEach(() => {
    relay.handle = ({ forward }) => forward();
  });
  after(async () => {
    await relay.close();
    await service.stop();
  });

  const asApp = (headers: Record<string, string> = {}) =>
    connect({ baseUrl: relay.url, credentials: { clientId: app.appId, clientSecret: app.secret }, headers });
  const asPartner = (partnerKey: string) => connect({ baseUrl: `${relay.url}/`, credentials: { partnerKey } });
  const params = (traderId: string) => ({ params: { header: { 'Trader-ID': traderId } } });
  const order = market({ execution_type: 'MARKET' }) as Order;

  it('places each order once, whatever connection is cut before or after the service has it', async () => {
    const traders = await atOnce(4, () => service.trader());
    const seen = new Map<string, number>();
    relay.handle = async ({ headers, forward }) => {
      const key = String(headers['idempotency-key']);
      const nth = (seen.get(key) ?? 0) + 1;
      seen.set(key, nth);
      if (nth === 1 && seen.size % 2 === 0) return 'lost'; // before
      const reply = await forward();
      return nth < 3 ? 'lost' : reply;
    };

    const placed = await Promise.all(
      traders.flatMap(({ key, traderId }) => {
        const { api, settled } = asPartner(key);
        return ['BTCUSDC', 'ETHUSDC', 'SOLUSDC'].map((trade_pair) =>
          settled(api.POST(ORDERS, { ...params(traderId), body: { ...order, trade_pair } })),
        );
      }),
    );

    expect(placed.map(({ success, status }) => ({ success, status }))).to.deep.equal(
      Array(12).fill({ success: true, status: 'accepted' }),
    );
    expect(new Set(placed.map(({ order_uuid }) => order_uuid)).size).to.equal(12);
    expect([...seen.values()]).to.deep.equal(Array(12).fill(3));
    for (const trader of traders) expect(effectsOf(service, trader)).to.have.length(3);
  });

  it('follows a 202 to the response of its operation, or to its error', async () => {
    const trader = await service.trader();
    const { api, settled } = asPartner(trader.key);
    const at = { params: { header: { 'Trader-ID': trader.traderId, Prefer: 'wait=0' } } };

    const [accepted, failing] = await Promise.all([
      api.POST(ORDERS, { ...at, body: order }),
      api.POST(`${ORDERS}/close`, { ...at, body: { trade_pair: 'ETHUSDC' } }),
    ]);
    const [placed, failed] = await Promise.all([settled(accepted), settled(failing).catch((error) => error)]);

    expect([accepted, failing].map(({ response }) => response.status)).to.deep.equal([202, 202]);
    expect(placed).to.include({ success: true, status: 'accepted' });
    expect(failed).to.include({ name: 'ServiceError', status: 409, code: 'V1_NO_POSITION', effect: 'none' });
    expect(effectsOf(service, trader)).to.have.length(1);
  });

  it('says that a write goes on which takes too long, and follows it when asked again', async () => {
    const trader = await service.trader();
    const { api, settled } = asPartner(trader.key);
    const header = { 'Trader-ID': trader.traderId, Prefer: 'wait=0' };

    const accepted = await api.POST(ORDERS, { params: { header }, body: order });
    const pending = await settled(accepted, { withinMs: 0 }).catch((error) => error);
    const placed = await settled(accepted);

    expect(pending).to.include({ code: 'STILL_PENDING', effect: 'unknown' });
    expect(pending.intentId).to.equal(placed.order_uuid);
    expect(effectsOf(service, trader)).to.have.length(1);
  });

  it('shares one token among its calls, and renews it once when it has ended', async () => {
    let tokens = 0;
    relay.handle = ({ name, forward }) => {
      if (name === 'POST /v2/oauth/token') tokens += 1;
      return forward();
    };
    const { api, settled } = asApp();
    const me = () => settled(api.GET('/v2/apps/me'));

    await atOnce(8, me);
    const first = tokens;
    await service.db.query(sql.unsafe`update app_tokens set expires_at = now() where app_id = ${app.appId}`);
    const shown = await atOnce(8, me);

    expect([first, tokens]).to.deep.equal([1, 2]);
    expect(shown.every(({ app_id }) => app_id === app.appId)).to.equal(true);
    const wrong = connect({ baseUrl: relay.url, credentials: { clientId: app.appId, clientSecret: 'csk_wrong' } });
    const rejected = await wrong.settled(wrong.api.GET('/v2/apps/me')).catch((error) => error);
    expect(rejected).to.include({ status: 401, code: 'V2_INVALID_CREDENTIALS' });
  });

  it('reads every row of a list, over its pages', async () => {
    const { api, rows, settled } = asApp();
    const made: string[] = [];
    for (const n of [1, 2, 3, 4, 5]) {
      const body = { url: `https://hooks.example.com/${n}`, events: ['*'] };
      made.push((await settled(api.POST('/v2/webhook-endpoints', { body }))).id);
    }

    const query = { limit: 2 };
    const listed = await Array.fromAsync(rows(api.GET('/v2/webhook-endpoints', { params: { query } })), ({ id }) => id);
    const wrong = rows(api.GET('/v2/webhook-endpoints', { params: { query: { cursor: 'nobody' } } }));

    expect(listed).to.have.members(made);
    expect(await wrong.next().catch((error) => error)).to.include({ status: 422, code: 'INVALID_REQUEST' });
  });

  it('verifies the webhooks of the service', async () => {
    const receiver = await startReceiver();
    const { api, settled } = asApp();
    const body = { url: receiver.url, events: ['*'] };
    const { id, secret } = await settled(api.POST('/v2/webhook-endpoints', { body }));

    await settled(api.POST('/v2/webhook-endpoints/{endpoint_id}/test', { params: { path: { endpoint_id: id } } }));
    const [received] = await eventually(async () => (receiver.ledger.length > 0 ? receiver.ledger : undefined));
    await receiver.close();
    const event = await verifyWebhook({ body: String(received?.body), headers: received?.headers ?? {}, secret });

    expect(event).to.deep.equal(JSON.parse(String(received?.body)));
    expect(event.id).to.match(/^evt_/);
  });

  it('resumes a stream after every break: no event is missed, none comes twice', async () => {
    const trader = await service.propTrader();
    const { api_key } = await trader.key();
    let opened = 0;
    const breaking: typeof fetch = async (url, init) => {
      opened += 1;
      const response = await fetch(url, init);
      return new Response(response.body && cutAfterFirstEvent(response.body), response);
    };
    const { events }: Client = connect({ baseUrl: service.url, credentials: { apiKey: api_key }, fetch: breaking });
    const seen: StreamEvent[] = [];

    for await (const event of events('/v2/trading/stream')) {
      if (seen.push(event) === 1) await placeAndCancel(trader.ask);
      if (event.type === 'order' && Object(event.data).action === 'cancel') break;
    }

    const numbers = seen.map(({ id }) => Number(id?.split(':')[1]));
    expect(opened).to.equal(seen.length);
    expect(seen.length).to.be.above(2);
    expect(numbers.slice(1)).to.deep.equal(numbers.slice(1).map((_, n) => Number(numbers[0]) + n + 1));
  });

  async function placeAndCancel(ask: Awaited<ReturnType<Trading['propTrader']>>['ask']) {
    const { body } = await ask('POST', '/v2/trading/orders', { json: limit() });
    await ask('DELETE', `/v2/trading/orders/${body.order_uuid}?trade_pair=BTCUSDC`);
  }

  it('ends a stream with the error of credentials that ended, or with its signal', async () => {
    const { events } = connect({ baseUrl: service.url, credentials: { apiKey: 'tk_wrong.wrong' } });
    const trader = await service.propTrader();
    const { api_key } = await trader.key();
    const right = connect({ baseUrl: service.url, credentials: { apiKey: api_key } });
    const ended = new AbortController();
    const seen: string[] = [];

    for await (const { type } of right.events('/v2/trading/stream', { signal: ended.signal })) {
      seen.push(type);
      ended.abort();
    }

    const rejected = await events('/v2/trading/stream')
      .next()
      .catch((error) => error);
    expect(rejected).to.include({ status: 401, code: 'V2_API_KEY_INVALID' });
    expect(seen).to.deep.equal(['snapshot']);
  });

  it('works as its guide shows, built and installed as a package', async () => {
    const { key: KEY } = await service.partner();
    const guided = await service.app(['api', 'webhooks']);
    const { api_key } = await (await service.propTrader()).key();
    const settings = { URL: service.url, KEY, CLIENT_ID: guided.appId, CLIENT_SECRET: guided.secret, API_KEY: api_key };

    const lines = await runExamples(settings);

    expect(lines.map((line) => line.replace(/^app .+/, 'app'))).to.deep.equal([
      'order accepted',
      'V1_NO_POSITION none',
      'filled BTC-USDC',
      'app',
      'webhook webhook.test',
      'stream snapshot true',
    ]);
  });

  it('is shown in its guide by programs for the oldest Node that it runs on', async () => {
    await compileExamples();
  });
});
