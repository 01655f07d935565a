import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { Fault } from '../../../src/sandbox/faults.ts';
import { bearer, type TestApp } from '../identity.ts';
import { tier25k } from '../money.ts';
import { limit, market, SUBMIT } from '../orders.ts';
import { keyed, type Scenes, type Send, type Stage } from './scene.ts';

const NETWORK = '/v1/orders/netvenue';
const EXCHANGE = '/v1/orders/exvenue';
const BTC = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };

/** What a venue, its state or the time between rejects. */
export function venueScenes({ service, asking, counts }: Stage): Scenes {
  const [atNetwork, atExchange] = [counts.atNetwork('market', 'limit'), counts.atExchange()];
  const trader = async () => {
    const { key, traderId } = await service().trader();
    return asking({ ...bearer(key), 'Trader-ID': traderId });
  };
  const wallet = async () => {
    const made = await service().wallet();
    return { ...made, ask: asking({ ...bearer(made.key), 'Trader-ID': made.wallet }) };
  };
  const userOf = async (app: TestApp) => {
    const { session } = await service().user(app);
    return asking({ ...bearer(app.token), 'X-Session-Token': session });
  };
  const fault = (faults: { add(fault: Fault): void; clear(): void }, each: Fault) => {
    faults.add(each);
    return () => faults.clear();
  };

  return {
    async VENUE_COOLDOWN() {
      const ask = await trader();
      await ask('POST', NETWORK, { json: market() });
      return { makes: atNetwork, send: (key) => ask('POST', NETWORK, keyed(key, market())) };
    },
    async VENUE_UNREACHABLE() {
      const { ask } = await wallet();
      const heal = fault(service().exchange.faults, { kind: 'status_500', route: 'POST /info' });
      return { makes: atExchange, heal, send: (key) => ask('POST', EXCHANGE, keyed(key, BTC)) };
    },
    async VENUE_UNREADABLE() {
      const { ask } = await wallet();
      const heal = fault(service().exchange.faults, { kind: 'status_500', route: 'POST /info' });
      return { shows: Array.isArray, heal, send: () => ask('GET', EXCHANGE) };
    },
    async NOT_CARRIED_OUT() {
      const ask = await trader();
      fault(service().miner.faults, { kind: 'reset', route: SUBMIT, times: 1 });
      return { makes: atNetwork, send: (key) => ask('POST', NETWORK, keyed(key, market())) };
    },
    async V1_KEY_ROTATING() {
      const { ask, wallet: address } = await wallet();
      await service().db.query(sql.unsafe`
        insert into intents (id, kind, owner, lane, state, request, sent_payload, digest, sending_at, deadline_at)
        select gen_random_uuid(), 'exchange/place', k.owner, 'exvenue:' || k.ex_wallet, 'in_doubt', '{}',
          jsonb_build_object('key_id', k.id), '', now() + interval '1 minute', now()
        from signing_keys k
        where k.ex_wallet = ${address}`);
      const agent = generatePrivateKey();
      service().exchange.approveAgent(address, privateKeyToAddress(agent), 'next');
      await ask('POST', '/v1/sessions', { json: { ex_wallet: address, private_key: agent } });
      const heal = () =>
        service().db.query(sql.unsafe`delete from intents where lane = ${`exvenue:${address}`}
        and state = 'in_doubt'`);
      return { makes: atExchange, heal, send: (key) => ask('POST', EXCHANGE, keyed(key, BTC)) };
    },
    async DEADLINE_PASSED() {
      const ask = await trader();
      await service().stopWorkers();
      let isLate = true;
      return {
        makes: atNetwork,
        async send(key) {
          const sent = ask('POST', NETWORK, keyed(key, limit()));
          if (isLate) await sleep(3_000).then(() => service().startWorker());
          isLate = false;
          return sent;
        },
      };
    },
    async V1_NOT_ENROLLED() {
      const { ask, wallet: address, privateKey } = await wallet();
      await ask('DELETE', `/v1/sessions/${address}`);
      const heal = () => ask('POST', '/v1/sessions', { json: { ex_wallet: address, private_key: privateKey } });
      return { makes: atExchange, heal, send: (key) => ask('POST', EXCHANGE, keyed(key, BTC)) };
    },
    async V2_CONNECT_URLS_NOT_CONFIGURED() {
      const app = await service().app(['*']);
      const ask = await userOf(app);
      const urls = { connect_return_url: 'https://example.com/a', connect_refresh_url: 'https://example.com/b' };
      const admin = await service().admin();
      return {
        makes: counts.atProcessor('account'),
        heal: () => admin.ask('PATCH', `/v2/admin/apps/${app.appId}`, { json: urls }),
        send: (key) => ask('POST', '/v2/connect/accounts', keyed(key, { country: 'US' })),
      };
    },
    async VENUE_REJECTED() {
      const { ask } = await wallet();
      return {
        makes: atExchange,
        send: (key) => ask('POST', EXCHANGE, keyed(key, { ...BTC, size: '0.0404' })),
        instead: (key) => ask('POST', EXCHANGE, keyed(key, BTC)),
      };
    },
    async V1_NO_POSITION() {
      const { ask } = await wallet();
      let pair: string | undefined;
      return {
        makes: atExchange,
        send: (key) => ask('POST', `${EXCHANGE}/close`, keyed(key, { pair: 'BTC' })),
        heal: () => ask('POST', EXCHANGE, { json: BTC }),
        async instead(key) {
          pair ??= (await ask('GET', '/v1/positions/exvenue')).body[0].symbol;
          return ask('POST', `${EXCHANGE}/close`, keyed(key, { pair }));
        },
      };
    },
    async PROCESSOR_REJECTED() {
      const ask = await userOf(service().tenant);
      fault(service().processor.faults, { kind: 'reject', times: 1 });
      const send: Send = (key) => ask('POST', '/v2/payments/checkout', keyed(key, tier25k));
      return { makes: counts.atProcessor('payment_intent'), send, instead: send };
    },
    async INVALID_REQUEST() {
      const ask = await trader();
      return {
        makes: atNetwork,
        send: (key) => ask('POST', NETWORK, keyed(key, market({ leverage: -1 }))),
        instead(key, { body }) {
          const { leverage, ...order } = market();
          const wrong = body.error.fields.map(({ loc }: { loc: string[] }) => loc.at(-1));
          return ask('POST', NETWORK, keyed(key, { ...order, ...(wrong.includes('leverage') && { leverage }) }));
        },
      };
    },
    async IDEMPOTENCY_KEY_REUSED() {
      const { key: partner, traderId } = await service().trader();
      const headers = { ...bearer(partner), 'Trader-ID': traderId };
      const ask = asking(headers);
      return {
        makes: counts.rows(
          `orders where trader like '%\\_${traderId}' and terms_of(id, terms) ->> 'limit_price' = '89000'`,
        ),
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
        makes: atNetwork,
        send: (key) => ask('POST', NETWORK, keyed(key, limit({ stop_loss: 95_000 }))),
        instead: (key) => ask('POST', NETWORK, keyed(key, limit({ stop_loss: 80_000 }))),
      };
    },
    async V1_TRADER_UNKNOWN() {
      const { key } = await service().trader();
      const known = await trader();
      return {
        makes: atNetwork,
        send: (once) => asking({ ...bearer(key), 'Trader-ID': '9999' })('POST', NETWORK, keyed(once, market())),
        instead: (once) => known('POST', NETWORK, keyed(once, market())),
      };
    },
    async V2_TIER_UNKNOWN() {
      const ask = await userOf(service().tenant);
      return {
        makes: counts.atProcessor('payment_intent'),
        send: (key) => ask('POST', '/v2/payments/checkout', keyed(key, { ...tier25k, tier_id: 'tier_none' })),
        async instead(key) {
          const tiers = (await ask('GET', '/v2/tiers')).body;
          const { active, currency, ...tier } = tiers.find(({ tier_id }: typeof tier25k) => tier_id === 'tier_25k');
          return ask('POST', '/v2/payments/checkout', keyed(key, tier));
        },
      };
    },
  };
}
