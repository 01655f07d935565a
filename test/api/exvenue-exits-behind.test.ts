import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { openOids } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import { type Handle, jsonReply, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const MARKET = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
const EXITS = { pair: 'BTC', take_profit: 120_000, stop_loss: 90_000 };

/** What an exit asks for on the wire: its client order id and trigger. */
type SentExit = { c: string; t: { trigger: { tpsl: 'tp' | 'sl' } } };

describe('new exits at an exchange whose replicas are behind', function () {
  this.timeout(40_000);
  let service: TestService;
  let proxy: VenueProxy;
  /** The client order id that reads do not show yet. */
  let hidden: string | undefined;
  /** Handles the next action that places exits of a position. */
  let onExits: ((exits: SentExit[], forward: Parameters<Handle>[1]) => ReturnType<Handle>) | null = null;
  before(async () => {
    proxy = await startProxy(async (body, forward) => {
      const { type, action, oid } = body as typeof body & { oid?: unknown; action?: { grouping: string } }; // as: of our own client
      if (type === 'orderStatus' && hidden !== undefined && oid === hidden) return jsonReply({ status: 'unknownOid' });
      const handle = action?.grouping === 'positionTpsl' ? onExits : null;
      if (handle) onExits = null;
      return handle ? handle(action?.orders as SentExit[], forward) : forward(); // as: of our own client
    });
    service = await startService({ settings: { EXVENUE_URL: proxy.url, EXVENUE_READ_LAG_MS: '60000' } });
    proxy.target = service.exchange.url;
  });
  afterEach(() => service.exchange.setMid('BTC', '100000'));
  after(async () => {
    await service.stop();
    await proxy.close();
  });

  const lookedUp = (id: string, times: number) =>
    until('it was looked up, or has ended', async () => {
      const isReached = await service.db.exists(sql.type(z.object({}))`
        select from intents where id = ${id} and (reconcile_attempts >= ${times} or settled_at is not null)`);
      return isReached || null;
    });

  it('are not reported rejected because a replica does not show one of them', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, MARKET);
    await trader.post(`${ORDERS}/tp-sl`, { ...EXITS, stop_loss: 91_000 });
    onExits = (exits, forward) => {
      hidden = exits.find(({ t }) => t.trigger.tpsl === 'sl')?.c;
      return forward();
    };

    const reply = await trader.post(`${ORDERS}/tp-sl`, EXITS, { prefer: 'wait=0' });

    await lookedUp(String(reply.headers['intent-id']), 2);
    hidden = undefined;
    const intent = await trader.pollIntent(reply, 20_000);
    expect(intent.result, JSON.stringify(intent)).to.include({ trigger_status: 'placed' });
    await until('those before them have ended', async () => (await openOids(service, trader)).length === 2 || null);
  });

  it('end by the record of their rejection, of which the response was lost', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, MARKET);
    onExits = async (_, forward) => {
      service.exchange.setMid('BTC', '89000');
      await forward();
      return null;
    };

    const reply = await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 90_000 }, { prefer: 'wait=0' });

    const intent = await trader.pollIntent(reply, 20_000);
    expect(intent, JSON.stringify(intent)).to.include({ state: 'failed', effect: 'none' });
  });
});
