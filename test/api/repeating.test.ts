import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { type ErrorCode, errors } from '../../src/kernel/error-codes.ts';
import { laws } from '../../src/kernel/error-laws.ts';
import type { Fault } from '../../src/sandbox/faults.ts';
import { asking, bearer, type Data, fresh } from '../support/identity.ts';
import { tier25k } from '../support/money.ts';
import { limit, market, SUBMIT } from '../support/orders.ts';
import { expectRejected } from '../support/rejected.ts';
import { startTrading, type Trading } from '../support/trading.ts';
import { NOT_BROUGHT_ABOUT } from '../support/unrepeated.ts';

const NETWORK = '/v1/orders/netvenue';
const EXCHANGE = '/v1/orders/exvenue';
const BTC = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };

type Send = (key: string) => Promise<Data>;
/** A service in the state that brings an error about: the request, what the advice asks for, and another request. */
type Scene = { send: Send; heal?: () => unknown; instead?: Send };

/**
 * Each code, in a service that is in its state, obeyed as the table says: after a pause or a remedy the same request under the
 * same key succeeds; a final one is returned again, and another request under a new key succeeds.
 */
describe('the advice of an error, obeyed,', function () {
  this.timeout(60_000);
  let service: Trading;
  before(async () => {
    service = await startTrading({
      settings: {
        ...{ ORDER_DEADLINE_MS: '2500', CHECKOUT_DEADLINE_MS: '1500', PROVISION_DEADLINE_MS: '2500' },
        ...{ NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '350' },
      },
      upstream: { cooldownMs: 2_500 },
    });
  });
  afterEach(() => {
    for (const { faults } of [service.miner, service.exchange, service.processor]) faults.clear();
  });
  after(() => service.stop());

  const trader = async () => {
    const { key, traderId } = await service.trader();
    return asking(service.url, { ...bearer(key), 'Trader-ID': traderId });
  };
  const wallet = async () => {
    const made = await service.wallet();
    return { ...made, ask: asking(service.url, { ...bearer(made.key), 'Trader-ID': made.wallet }) };
  };
  const keyed = (key: string, json?: object) => ({ ...(json && { json }), headers: { 'Idempotency-Key': key } });
  const fault = (faults: { add(fault: Fault): void; clear(): void }, each: Fault) => {
    faults.add(each);
    return () => faults.clear();
  };

  const scenes: Partial<Record<ErrorCode, () => Promise<Scene>>> = {
    async VENUE_COOLDOWN() {
      const ask = await trader();
      await ask('POST', NETWORK, { json: market() });
      return { send: (key) => ask('POST', NETWORK, keyed(key, market())) };
    },
    async VENUE_UNREACHABLE() {
      const { ask } = await wallet();
      const heal = fault(service.exchange.faults, { kind: 'status_500', route: 'POST /info' });
      return { heal, send: (key) => ask('POST', EXCHANGE, keyed(key, BTC)) };
    },
    async VENUE_UNREADABLE() {
      const { ask } = await wallet();
      const heal = fault(service.exchange.faults, { kind: 'status_500', route: 'POST /info' });
      return { heal, send: () => ask('GET', EXCHANGE) };
    },
    async NOT_CARRIED_OUT() {
      const ask = await trader();
      fault(service.miner.faults, { kind: 'reset', route: SUBMIT, times: 1 });
      return { send: (key) => ask('POST', NETWORK, keyed(key, market())) };
    },
    async V1_KEY_ROTATING() {
      const { ask, wallet: address } = await wallet();
      await service.db.query(sql.unsafe`
        insert into intents (id, kind, owner, lane, state, request, sent_payload, digest, sending_at, deadline_at)
        select gen_random_uuid(), 'exchange/place', k.owner, 'exvenue:' || k.ex_wallet, 'in_doubt', '{}',
          jsonb_build_object('key_id', k.id), '', now(), now()
        from signing_keys k
        where k.ex_wallet = ${address}`);
      const agent = generatePrivateKey();
      service.exchange.approveAgent(address, privateKeyToAddress(agent), 'next');
      await ask('POST', '/v1/sessions', { json: { ex_wallet: address, private_key: agent } });
      const heal = () =>
        service.db.query(sql.unsafe`delete from intents where lane = ${`exvenue:${address}`}
        and state = 'in_doubt'`);
      return { heal, send: (key) => ask('POST', EXCHANGE, keyed(key, BTC)) };
    },
    async DEADLINE_PASSED() {
      const ask = await trader();
      await service.stopWorkers();
      let isLate = true;
      return {
        async send(key) {
          const sent = ask('POST', NETWORK, keyed(key, limit()));
          if (isLate) await sleep(3_000).then(() => service.startWorker());
          isLate = false;
          return sent;
        },
      };
    },
    async V1_NOT_ENROLLED() {
      const { ask, wallet: address, privateKey } = await wallet();
      await ask('DELETE', `/v1/sessions/${address}`);
      const heal = () => ask('POST', '/v1/sessions', { json: { ex_wallet: address, private_key: privateKey } });
      return { heal, send: (key) => ask('POST', EXCHANGE, keyed(key, BTC)) };
    },
    async V2_CONNECT_URLS_NOT_CONFIGURED() {
      const app = await service.app(['*']);
      const { ask } = await service.user(app);
      const urls = { connect_return_url: 'https://example.com/a', connect_refresh_url: 'https://example.com/b' };
      const admin = await service.admin();
      return {
        heal: () => admin.ask('PATCH', `/v2/admin/apps/${app.appId}`, { json: urls }),
        send: (key) => ask('POST', '/v2/connect/accounts', keyed(key, { country: 'US' })),
      };
    },
    async V2_TOKEN_INVALID() {
      const app = await service.app(['*']);
      let token = 'apt_none';
      const url = 'https://hooks.example.com/x';
      return {
        heal() {
          token = app.token;
        },
        send: (key) =>
          asking(service.url, bearer(token))('POST', '/v2/webhook-endpoints', keyed(key, { url, events: ['*'] })),
      };
    },
    async VENUE_REJECTED() {
      const { ask } = await wallet();
      return {
        send: (key) => ask('POST', EXCHANGE, keyed(key, { ...BTC, size: '0.0404' })),
        instead: (key) => ask('POST', EXCHANGE, keyed(key, BTC)),
      };
    },
    async V1_NO_POSITION() {
      const { ask } = await wallet();
      return {
        send: (key) => ask('POST', `${EXCHANGE}/close`, keyed(key, { pair: 'BTC' })),
        instead: async (key) => {
          await ask('POST', EXCHANGE, { json: BTC });
          return ask('POST', `${EXCHANGE}/close`, keyed(key, { pair: 'BTC' }));
        },
      };
    },
    async PROCESSOR_REJECTED() {
      const { ask } = await service.user(service.tenant);
      fault(service.processor.faults, { kind: 'reject', times: 1 });
      const send: Send = (key) => ask('POST', '/v2/payments/checkout', keyed(key, tier25k));
      return { send, instead: send };
    },
    async INVALID_REQUEST() {
      const ask = await trader();
      return {
        send: (key) => ask('POST', NETWORK, keyed(key, { ...market(), leverage: -1 })),
        instead: (key) => ask('POST', NETWORK, keyed(key, market())),
      };
    },
    async IDEMPOTENCY_KEY_REUSED() {
      const ask = await trader();
      return {
        async send(key) {
          await ask('POST', NETWORK, keyed(key, limit()));
          return ask('POST', NETWORK, keyed(key, limit({ limit_price: 89_000 })));
        },
        instead: (key) => ask('POST', NETWORK, keyed(key, limit({ limit_price: 89_000 }))),
      };
    },
    async V1_PRICES_INVALID() {
      const ask = await trader();
      return {
        send: (key) => ask('POST', NETWORK, keyed(key, limit({ stop_loss: 95_000 }))),
        instead: (key) => ask('POST', NETWORK, keyed(key, limit({ stop_loss: 80_000 }))),
      };
    },
    async V1_TRADER_UNKNOWN() {
      const { key } = await service.trader();
      const known = await trader();
      return {
        send: (once) =>
          asking(service.url, { ...bearer(key), 'Trader-ID': '9999' })('POST', NETWORK, keyed(once, market())),
        instead: (once) => known('POST', NETWORK, keyed(once, market())),
      };
    },
    async V2_TIER_UNKNOWN() {
      const { ask } = await service.user(service.tenant);
      return {
        send: (key) => ask('POST', '/v2/payments/checkout', keyed(key, { ...tier25k, tier_id: 'tier_none' })),
        instead: (key) => ask('POST', '/v2/payments/checkout', keyed(key, tier25k)),
      };
    },
  };

  for (const [name, scene] of Object.entries(scenes)) {
    const code = name as ErrorCode; // as: the table's own keys
    it(`leads to success: ${code}`, async () => {
      const { send, heal, instead } = await scene();
      const key = fresh('law');
      const first = await send(key);
      const { spends, retryAfterS } = laws[code];

      expectRejected(first, code, { retryable: retryAfterS !== null });
      if (spends) {
        expectRejected(await send(key), code, { retryable: false });
        expect((await instead?.(fresh('law')))?.status).to.equal(200);
        return;
      }
      await heal?.();
      const last = await afterPauses(first, () => send(key));
      expect(last.status, JSON.stringify(last.body)).to.equal(200);
      if (first.headers.get('intent-id')) expect(last.headers.get('idempotent-replayed')).to.equal(null);
    });
  }

  /** Repeats while the errors say so, no sooner than they say. */
  async function afterPauses(first: Data, send: () => Promise<Data>): Promise<Data> {
    let reply = first;
    for (let attempt = 0; attempt < 8 && reply.status >= 400; attempt += 1) {
      if (reply.body.error.retryable) expect(Number(reply.headers.get('retry-after'))).to.be.within(1, 60);
      await sleep(1_000 * Number(reply.headers.get('retry-after')));
      reply = await send();
      if (reply.status >= 400) expect(reply.body.error.retryable, JSON.stringify(reply.body)).to.equal(true);
    }
    return reply;
  }

  it('covers every code, or says why it cannot', () => {
    const given = Object.values(NOT_BROUGHT_ABOUT).flat();

    expect(new Set(given).size).to.equal(given.length);
    expect([...given, ...Object.keys(scenes)].sort()).to.deep.equal(Object.keys(errors).sort());
  });

  it('is the same in the database, which decides whether a key is spent', async () => {
    for (const [code, { spends }] of Object.entries(laws)) {
      const outcome = JSON.stringify({ problem: { code } });
      const spent = await service.db.oneFirst(sql.unsafe`
        select spends_key(jsonb_populate_record(null::intents, jsonb_build_object(
          'state', 'failed', 'settled_at', now(), 'outcome', ${outcome}::jsonb)))`);
      expect(spent, code).to.equal(spends);
    }
  });
});
