import { randomUUID } from 'node:crypto';
import { type Ask, bearer, asking as byHand } from '../identity.ts';
import { limit, market } from '../orders.ts';
import { keyed, type Scene, type Scenes, type Stage } from './scene.ts';

const EXCHANGE = '/v1/orders/exvenue';
const NOBODYS = '0190b4ad-ac96-774b-bcce-000000000000';

/** Orders that are rejected as they are, or that nobody has. */
export function orderScenes(stage: Stage): Scenes {
  const { service, asking } = stage;
  /** A trader of v1 or of v2, with the order routes of its generation. */
  const traders = {
    V1: async () => {
      const { key, traderId } = await service().trader();
      const headers = { ...bearer(key), 'Trader-ID': traderId };
      return { ask: asking(headers), setUp: byHand(service().url, headers), at: '/v1/orders/netvenue' };
    },
    V2: async () => {
      const { api_key } = await (await service().propTrader()).key();
      const headers = { 'X-Api-Key': api_key };
      return { ask: asking(headers), setUp: byHand(service().url, headers), at: '/v2/trading/orders' };
    },
  };
  type Trader = Awaited<ReturnType<(typeof traders)['V1']>>;
  const of = (trader: () => Promise<Trader>, scene: (trader: Trader) => Scene | Promise<Scene>) => async () =>
    scene(await trader());
  const wallet = async () => {
    const { key, wallet: id } = await service().wallet();
    return asking({ ...bearer(key), 'Trader-ID': id });
  };
  return {
    V1_ORDER_UNKNOWN: of(traders.V1, unknown),
    V2_ORDER_UNKNOWN: of(traders.V2, unknown),
    V1_ORDER_UUID_REUSED: of(traders.V1, reused),
    V2_ORDER_UUID_REUSED: of(traders.V2, reused),
    V1_ORDER_NOT_RESTING: of(traders.V1, filled),
    V2_ORDER_NOT_RESTING: of(traders.V2, filled),
    V1_TRADE_PAIR_MISMATCH: of(traders.V1, otherPair),
    V2_TRADE_PAIR_MISMATCH: of(traders.V2, otherPair),
    V2_PRICES_INVALID: of(traders.V2, inconsistent),
    V2_NO_POSITION: of(traders.V2, withoutPosition),
    async V1_PAIR_UNKNOWN() {
      const ask = await wallet();
      return exchangeOrder(ask, { pair: 'NOPE' });
    },
    async V1_ORDER_INVALID() {
      const ask = await wallet();
      return exchangeOrder(ask, { size: '0.0000001' });
    },
  };
}

const idOf = async (setUp: Ask, at: string, json: object): Promise<string> =>
  (await setUp('POST', at, { json })).body.order_uuid;

async function unknown({ ask, setUp, at }: { ask: Ask; setUp: Ask; at: string }): Promise<Scene> {
  const id = await idOf(setUp, at, limit());
  return { send: () => ask('GET', `${at}/${NOBODYS}`), instead: () => ask('GET', `${at}/${id}`) };
}

async function reused({ ask, setUp, at }: { ask: Ask; setUp: Ask; at: string }): Promise<Scene> {
  const order_uuid = randomUUID();
  await setUp('POST', at, { json: limit({ order_uuid }) });
  const place = (more: object) => (key: string) => ask('POST', at, keyed(key, limit({ limit_price: 80_000, ...more })));
  return { send: place({ order_uuid }), instead: (key) => place({ order_uuid: randomUUID() })(key) };
}

async function filled({ ask, setUp, at }: { ask: Ask; setUp: Ask; at: string }): Promise<Scene> {
  const id = await idOf(setUp, at, market());
  return {
    send: (key) => ask('DELETE', `${at}/${id}?trade_pair=BTCUSDC`, keyed(key)),
    instead: () => ask('GET', `${at}/${id}`),
  };
}

async function otherPair({ ask, setUp, at }: { ask: Ask; setUp: Ask; at: string }): Promise<Scene> {
  const id = await idOf(setUp, at, limit());
  const cancel = (pair: string) => (key: string) => ask('DELETE', `${at}/${id}?trade_pair=${pair}`, keyed(key));
  return { send: cancel('ETHUSDC'), instead: cancel('BTCUSDC') };
}

const inconsistent = ({ ask, at }: { ask: Ask; at: string }): Scene => ({
  send: (key) => ask('POST', at, keyed(key, limit({ stop_loss: 95_000 }))),
  instead: (key) => ask('POST', at, keyed(key, limit({ stop_loss: 80_000 }))),
});

const withoutPosition = ({ ask, at }: { ask: Ask; at: string }): Scene => {
  const close = (key: string) => ask('POST', `${at}/close`, keyed(key, { trade_pair: 'BTCUSDC' }));
  return { send: close, instead: (key) => ask('POST', at, keyed(key, market())) };
};

function exchangeOrder(ask: Ask, wrong: object): Scene {
  const right = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
  const place = (order: object) => (key: string) => ask('POST', EXCHANGE, keyed(key, order));
  return { send: place({ ...right, ...wrong }), instead: place(right) };
}
