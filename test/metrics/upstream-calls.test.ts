import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import pino from 'pino';
import { mailer } from '../../src/adapters/mail/index.ts';
import { atOnce } from '../../src/kernel/at-once.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import { epochMs } from '../../src/kernel/work.ts';
import { openMetrics } from '../../src/metrics/registry.ts';
import { watched } from '../../src/metrics/upstreams.ts';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import { netvenue } from '../../src/venues/network/adapter/index.ts';
import { lookUpsIn } from '../../src/venues/network/adapter/look-ups.ts';
import { readScrape, type Scraped } from '../support/scrape.ts';
import { realSockets } from '../support/sockets.ts';

const WALLET = `0x${'a'.repeat(40)}`;
const HOTKEY = `${'5'.repeat(48)}_1`;
const MANY = 30;
const META = { universe: [{ name: 'BTC', szDecimals: 5, maxLeverage: 40 }], collateralToken: 0 };

describe('the counted calls to an upstream', () => {
  let unmocked: () => void;
  let server: Server;
  let url: string;
  let served: number;
  before(async () => {
    unmocked = realSockets();
  });
  beforeEach(async () => {
    served = 0;
    server = createServer((request, response) => {
      served += 1;
      request.resume();
      setTimeout(() => response.end(JSON.stringify(META)), 20);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // as: it listens on TCP
  });
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  afterEach(close);
  after(() => unmocked());

  const openWatch = () => {
    const metrics = openMetrics();
    const log = pino({ level: 'silent' });
    const count = async (labels = {}) => counted(readScrape(await metrics.scrape()), labels);
    return { metrics, log, count };
  };
  const counted = (scraped: Scraped, labels: Record<string, string>) =>
    scraped.value('tps_upstream_call_duration_seconds_count', labels) ?? 0;

  const networkOf = (options: Partial<Parameters<typeof netvenue>[0]>, lookUps?: Parameters<typeof netvenue>[1]) =>
    netvenue(
      { minerUrl: url, minerKey: 'key', validatorUrl: url, validatorKey: 'key', entityHotkey: HOTKEY, ...options },
      lookUps,
    );

  it('exclude lists from memory: an exchange that is away would seem to respond to every second call', async () => {
    const { metrics, log, count } = openWatch();
    const exchange = watched('exvenue', exvenue({ url, network: 'testnet' }), metrics, log);
    expect(await exchange.asset('BTC')).to.have.property('kind', 'found');
    const respondedAt = metrics.reached.get('exvenue asset')?.succeededAtMs;
    await close();

    for (let n = 0; n < 5; n++) {
      expect(await exchange.asset('BTC')).to.have.property('kind', 'found');
      expect(await exchange.mids()).to.have.property('kind', 'unreadable');
    }

    expect(await count({ result: 'found' })).to.equal(1);
    expect(await count({ result: 'unreadable' })).to.equal(5);
    expect(metrics.reached.get('exvenue asset')?.succeededAtMs).to.equal(respondedAt);
  });

  it('exclude calls without budget: the exchange has responded to all that were sent', async () => {
    const { metrics, log, count } = openWatch();
    const exchange = watched('exvenue', exvenue({ url, network: 'testnet', budgetPerMinute: 60 }), metrics, log);

    const read = await Promise.all(
      Array.from({ length: MANY }, () => exchange.account(WALLET, '', { notAfter: epochMs() + 200 })),
    );

    expect(read.filter((each) => each.kind === 'unreadable' && each.why === 'BUDGET')).not.to.be.empty;
    expect(served).to.be.within(1, MANY - 1);
    expect(await count()).to.equal(served);
    expect(metrics.reached.get('exvenue account')?.error).not.to.equal('BUDGET');
  });

  it('exclude calls without a turn', async () => {
    const { metrics, log, count } = openWatch();
    const turns = { validator: atOnce(1, { mostWaiting: 1 }) };
    const network = watched('netvenue', networkOf({ turns }), metrics, log);

    const read = await Promise.all(Array.from({ length: MANY }, () => network.dashboard(HOTKEY)));

    expect(read.filter((each) => each.kind === 'unreadable' && each.why === 'NO_TURN')).not.to.be.empty;
    expect(served).to.be.within(1, MANY - 1);
    expect(await count()).to.equal(served);
  });

  it('include look-ups in the slot of another one, and exclude look-ups without a slot', async () => {
    const { metrics, log, count } = openWatch();
    const slots = { count: 1, take: async () => 'slot', hold: async () => true, release: async () => {} };
    const network = watched('netvenue', networkOf({}, lookUpsIn(slots)), metrics, log);
    const none = watched('netvenue', networkOf({}, lookUpsIn({ ...slots, take: async () => null })), metrics, log);

    await Promise.all(Array.from({ length: 5 }, () => network.orderStatus(newIntentId())));
    await none.orderStatus(newIntentId());

    expect(served).to.equal(5);
    expect(await count({ call: 'orderStatus' })).to.equal(5);
  });

  it('include those to a mail server', async () => {
    const { metrics, log, count } = openWatch();
    await close();
    const { port } = new URL(url);
    const mail = watched(
      'mail',
      mailer({ url: `smtp://127.0.0.1:${port}`, from: 'a@example.com', tls: 'required' }),
      metrics,
      log,
    );

    await mail.send({ id: 'id', to: 'b@example.com', subject: 'a code', text: '1', html: '1' });
    mail.close();

    expect(await count({ upstream: 'mail', result: 'unreachable' })).to.equal(1);
  });
});
