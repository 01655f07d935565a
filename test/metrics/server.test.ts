import { connect, createServer } from 'node:net';
import { expect } from 'chai';
import pino from 'pino';
import { readConfig } from '../../src/config.ts';
import { openMetrics } from '../../src/metrics/registry.ts';
import { type MetricsServer, serveMetrics } from '../../src/metrics/server.ts';
import { readScrape } from '../support/scrape.ts';
import { testSettings } from '../support/service.ts';

const NOWHERE = { minerUrl: 'http://127.0.0.1:9', validatorUrl: 'http://127.0.0.1:9' };
const TOKEN = 'a-token-of-some-length';
const quiet = pino({ level: 'silent' });

const configWith = (settings: Record<string, string>) =>
  readConfig(testSettings('postgres://nobody@127.0.0.1:1/nowhere', NOWHERE, settings));

describe('the metrics server', () => {
  let failing: string[] = [];
  let server: MetricsServer | undefined;

  const serve = async (settings: Record<string, string>) => {
    const readiness = { failing: async () => failing };
    server = await serveMetrics({
      config: configWith({ METRICS_PORT: '0', ...settings }),
      log: quiet,
      metrics: openMetrics(),
      readiness,
    });
    return String(server.url);
  };
  afterEach(async () => {
    failing = [];
    await server?.stop();
    server = undefined;
  });

  it('serves metrics in the text format of Prometheus, without caching', async () => {
    const reply = await fetch(`${await serve({})}/metrics`);

    expect(reply.status).to.equal(200);
    expect(reply.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
    expect(reply.headers.get('cache-control')).to.equal('no-store');
    expect(readScrape(await reply.text()).families).to.include('tps_http_request_duration_seconds');
  });

  it('requires the token for metrics if one is set, and none for the health of the process', async () => {
    const url = await serve({ METRICS_TOKEN: TOKEN });
    const ask = async (path: string, authorization?: string) => {
      const reply = await fetch(url + path, { headers: authorization ? { authorization } : {} });
      return { status: reply.status, challenge: reply.headers.get('www-authenticate'), text: await reply.text() };
    };

    const rejected = await Promise.all(
      [undefined, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, 'Bearer ', TOKEN, `Basic ${TOKEN}`].map((shown) =>
        ask('/metrics', shown),
      ),
    );
    const accepted = await ask('/metrics', `Bearer ${TOKEN}`);
    const open = await Promise.all([ask('/healthz'), ask('/readyz')]);

    for (const reply of rejected)
      expect(reply).to.deep.equal({ status: 401, challenge: 'Bearer realm="metrics"', text: '' });
    expect(accepted.status).to.equal(200);
    expect(open.map(({ status, text }) => [status, JSON.parse(text)])).to.deep.equal([
      [200, { status: 'ok' }],
      [200, { status: 'ready' }],
    ]);
  });

  it('names the failed checks of a process that is not ready', async () => {
    failing = ['queue', 'migrations'];

    const reply = await fetch(`${await serve({})}/readyz`);
    const body = (await reply.json()) as { status: number; error: { code: string; checks: string[] } };

    expect(reply.status).to.equal(503);
    expect(reply.headers.get('content-type')).to.match(/^application\/problem\+json/);
    expect(body).to.include({ status: 503, type: 'http://127.0.0.1/docs/errors#NOT_READY' });
    expect(body.error).to.deep.include({ code: 'NOT_READY', retryable: true, checks: ['queue', 'migrations'] });
  });

  it('serves three pages, for reads only', async () => {
    const url = await serve({});
    const statuses = await Promise.all([
      fetch(`${url}/`),
      fetch(`${url}/constructor`),
      fetch(`${url}/metrics/x`),
      fetch(`${url}/metrics`, { method: 'POST' }),
      fetch(`${url}/healthz?from=a-probe`),
      fetch(`${url}/healthz`, { method: 'HEAD' }),
    ]);

    expect(statuses.map(({ status }) => status)).to.deep.equal([404, 404, 404, 405, 200, 200]);
  });

  it('stops although a client keeps a connection open', async () => {
    const port = Number(new URL(await serve({})).port);
    const socket = connect(port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));

    await server?.stop();
    server = undefined;

    await closed;
  });

  it('names the setting when its port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number }; // it listens on TCP

    const data = await serve({ METRICS_PORT: String(port) }).catch((error) => error.message);
    other.close();

    expect(data).to.equal(`Port ${port} is taken. Set METRICS_PORT, or METRICS_PORT=0 for any.`);
  });

  it('does not run without the setting', async () => {
    const { METRICS_PORT: _, ...config } = configWith({});
    server = await serveMetrics({ config, log: quiet, metrics: openMetrics(), readiness: { failing: async () => [] } });

    expect(server.url).to.equal(null);
  });

  for (const host of ['0.0.0.0', '::', '10.1.2.3', 'metrics.internal', '127.0.0.1.example.com']) {
    it(`does not start for other hosts without a token: METRICS_HOST=${host} without METRICS_TOKEN`, () => {
      expect(() => configWith({ METRICS_PORT: '9464', METRICS_HOST: host })).to.throw(
        /^Setting METRICS_TOKEN: needed where/,
      );
      expect(configWith({ METRICS_PORT: '9464', METRICS_HOST: host, METRICS_TOKEN: TOKEN })).to.include({
        METRICS_HOST: host,
      });
      expect(configWith({ METRICS_HOST: host })).to.include({ METRICS_HOST: host });
    });
  }

  it('rejects a token that can be guessed', () => {
    expect(() => configWith({ METRICS_TOKEN: 'short' })).to.throw(/Setting METRICS_TOKEN/);
  });
});
