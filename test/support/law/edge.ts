import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { sql } from 'slonik';
import { readConfig } from '../../../src/config.ts';
import { respondToUnreadable } from '../../../src/edge/malformed.ts';
import { type RunningWeb, startWeb } from '../../../src/runtime/web-process.ts';
import { signature } from '../../../src/sandbox/processor/notifier.ts';
import { bearer, asking as byHand, type Data } from '../identity.ts';
import { eventually, PROCESSOR, tier25k } from '../money.ts';
import { addressedAs } from '../postgres.ts';
import { keyed, type Scenes, type Stage } from './scene.ts';

const HOOKS = '/v1/webhook-endpoints';
const hook = { url: 'https://hooks.example.com/x', events: ['*'] };
const TOO_LATE_MS = 200;
const PER_MINUTE = 20; // another request every 3 s

/** Processes that are not ready for a request: too many of them, no processor, a recovery. */
export function processScenes({ service, asking, counts }: Stage): Scenes {
  const another = (settings: Record<string, string | undefined>): Promise<RunningWeb> => {
    const known = Object.entries({ ...service().settings, PORT: '0', ...settings }).filter(([, value]) => value);
    return startWeb(
      readConfig(addressedAs('web', Object.fromEntries(known) as Record<string, string>)),
      service().log.logger,
    );
  };
  return {
    async RATE_LIMITED() {
      const { key, owner } = await service().partner();
      const setUp = byHand(service().url, bearer(key));
      const { ask: admin } = await service().admin();
      await admin('PATCH', `/v2/admin/partners/${owner}`, { json: { requests_per_minute: PER_MINUTE } });
      for (let status = 200; status === 200; ) ({ status } = await setUp('GET', '/v1/events'));
      return {
        makes: counts.rows('webhook_endpoints'),
        send: (once) => asking(bearer(key))('POST', HOOKS, keyed(once, hook)),
      };
    },
    async SERVICE_UNAVAILABLE() {
      const { key, owner } = await service().partner();
      const recovering = await another({ RECOVERY_MODE: 'true' });
      const over = asking(bearer(key));
      let ask = asking(bearer(key), recovering.url);
      return {
        effect: 'unknown',
        makes: counts.rows(`webhook_endpoints where owner = '${owner}'`),
        async pass() {
          if (ask !== over) await recovering.stop();
          ask = over;
        },
        send: (once) => ask('POST', HOOKS, keyed(once, hook)),
      };
    },
    async V2_PAYMENTS_NOT_CONFIGURED() {
      const app = service().tenant;
      const { session } = await service().user(app);
      const headers = { ...bearer(app.token), 'X-Session-Token': session };
      const without = await another({ PROCESSOR_SECRET_KEY: '', PROCESSOR_WEBHOOK_SECRET: '' });
      let ask = asking(headers, without.url);
      return {
        makes: counts.atProcessor('payment_intent'),
        async heal() {
          await without.stop();
          ask = asking(headers);
        },
        send: (key) => ask('POST', '/v2/payments/checkout', keyed(key, tier25k)),
      };
    },
  };
}

/** Bytes that are no request, and what no client of an API calls. */
export function edgeScenes({ service, asking, counts }: Stage): Scenes {
  const unreadable = (text: string) => async () => {
    const ask = asking(bearer((await service().partner()).key));
    return { shows: Array.isArray, send: () => raw(service().url, text), instead: () => ask('GET', '/v1/events') };
  };
  return {
    MALFORMED_REQUEST: unreadable('nonsense\r\n\r\n'),
    HEADERS_TOO_LARGE: unreadable(`GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`),
    /** Node's own limit, which is 30 s in the service: a server of the same edge with a shorter one. */
    async REQUEST_TIMEOUT() {
      const limits = { requestTimeout: TOO_LATE_MS, headersTimeout: TOO_LATE_MS, connectionsCheckingInterval: 20 };
      const server = createServer(limits, (_, response) => response.end('[]'));
      respondToUnreadable(server, service().url);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      let end = '';
      return {
        shows: Array.isArray,
        heal() {
          end = '\r\n';
        },
        async send() {
          const reply = await raw(url, `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${end}`);
          if (end) server.close();
          return reply;
        },
      };
    },
    async NOT_READY() {
      await service().db.query(sql.unsafe`
        select graphile_worker.add_job('housekeeping/forget', run_at => now() - interval '70 seconds', job_key => 'late')`);
      const ask = asking();
      await eventually(async () => (await ask('GET', '/readyz')).status === 503);
      return {
        shows: ({ status }) => status === 'ready',
        heal: () =>
          service().db.query(sql.unsafe`update queue_jobs set locked_at = now(), locked_by = 'w' where key = 'late'`),
        send: () => ask('GET', '/readyz'),
      };
    },
    async INTERNAL() {
      const { key } = await service().partner();
      const rename = (from: string, to: string) =>
        service().db.query({ ...sql.unsafe``, sql: `alter table ${from} rename to ${to}`, values: [] });
      await rename('webhook_endpoints', 'broken');
      const read = () => asking(bearer(key))('GET', HOOKS);
      return { shows: Array.isArray, send: read, heal: () => rename('broken', 'webhook_endpoints'), instead: read };
    },
    async V2_SIGNATURE_INVALID() {
      const event = {
        ...{ id: `evt_law_${Date.now()}`, object: 'event', type: 'customer.created', created: 1, livemode: false },
        data: { object: { id: 'cus_1', object: 'customer' } },
      };
      const signedBy = (secret: string) => () => service().notify(event, signature(secret, JSON.stringify(event)));
      return {
        makes: counts.rows(`processor_events where id = '${event.id}'`),
        send: signedBy('whsec_another'),
        instead: signedBy(PROCESSOR.notificationSecret),
      };
    },
  };
}

/** Sends bytes over a connection of their own, and reads the response to its end. */
function raw(url: string, text: string): Promise<Data> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', reject).on('end', () => {
      socket.end();
      const [head = '', body = ''] = received.split('\r\n\r\n');
      const [first = '', ...lines] = head.split('\r\n');
      const headers = new Headers(lines.map((line) => line.split(': ') as [string, string]));
      resolve({ status: Number(first.split(' ')[1]), headers, body: JSON.parse(body) });
    });
  });
}
