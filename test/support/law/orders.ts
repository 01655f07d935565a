import { randomUUID } from 'node:crypto';
import { type Ask, bearer, asking as byHand } from '../identity.ts';
import { limit, market } from '../orders.ts';
import { keyed, type Scene, type Scenes, type Stage } from './scene.ts';

const EXCHANGE = '/v1/orders/exvenue';
const NOBODYS = '0190b4ad-ac96-774b-bcce-000000000000';

/** Orders that are rejected as they are, or that nobody has. */
export function orderScenes(stage: Stage): Scenes {
  const { service, asking, counts } = stage;
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
      return { ...exchangeOrder(ask, { pair: 'NOPE' }), instead: listed };

      async function listed(key: string) {
        const { pairs } = (await ask('GET', '/v1/rules/pairs')).body;
        return ask('POST', EXCHANGE, keyed(key, { ...RIGHT, pair: pairs.find((pair: string) => /^BTC\b/.test(pair)) }));
      }
    },
    async V1_ORDER_INVALID() {
      const ask = await wallet();
      return exchangeOrder(ask, { size: '0.0000001' });
    },
  };

  function exchangeOrder(ask: Ask, wrong: object): Scene {
    const place = (order: object) => (key: string) => ask('POST', EXCHANGE, keyed(key, order));
    return { makes: counts.atExchange(), send: place({ ...RIGHT, ...wrong }), instead: place(RIGHT) };
  }

  async function reused({ ask, setUp, at }: Trader): Promise<Scene> {
    const order_uuid = randomUUID();
    await setUp('POST', at, { json: limit({ order_uuid }) });
    const another = randomUUID();
    const place = (name: string) => (key: string) =>
      ask('POST', at, keyed(key, limit({ limit_price: 80_000, order_uuid: name })));
    return { makes: counts.atNetwork('limit'), send: place(order_uuid), instead: place(another) };
  }

  async function otherPair({ ask, setUp, at }: Trader): Promise<Scene> {
    const id = await idOf(setUp, at, limit());
    const cancel = (pair: string) => (key: string) => ask('DELETE', `${at}/${id}?trade_pair=${pair}`, keyed(key));
    return { makes: counts.atNetwork('cancel'), send: cancel('ETHUSDC'), instead: cancel('BTCUSDC') };
  }

  function inconsistent({ ask, at }: Trader): Scene {
    const place = (stop_loss: number) => (key: string) => ask('POST', at, keyed(key, limit({ stop_loss })));
    return { makes: counts.atNetwork('limit'), send: place(95_000), instead: place(80_000) };
  }

  /** The positions are read, and the close is of the pair that has one. */
  function withoutPosition({ ask, setUp, at }: Trader): Scene {
    let pair: string | undefined;
    const close = (trade_pair: string) => (key: string) => ask('POST', `${at}/close`, keyed(key, { trade_pair }));
    return {
      makes: counts.atNetwork('flat_all', 'market'),
      send: close('BTCUSDC'),
      heal: () => setUp('POST', at, { json: market({ trade_pair: 'ETHUSDC' }) }),
      async instead(key) {
        pair ??= (await setUp('GET', '/v2/trading/positions')).body[0].trade_pair;
        return close(pair ?? '')(key);
      },
    };
  }
}

const RIGHT = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };

type Trader = { ask: Ask; setUp: Ask; at: string };

const idOf = async (setUp: Ask, at: string, json: object): Promise<string> =>
  (await setUp('POST', at, { json })).body.order_uuid;

async function unknown({ ask, setUp, at }: Trader): Promise<Scene> {
  const id = await idOf(setUp, at, limit());
  return {
    shows: ({ order_uuid }) => order_uuid === id,
    send: () => ask('GET', `${at}/${NOBODYS}`),
    instead: () => ask('GET', `${at}/${id}`),
  };
}

/** The order is read, and says that it was filled. */
async function filled({ ask, setUp, at }: Trader): Promise<Scene> {
  const id = await idOf(setUp, at, market());
  return {
    shows: ({ order_uuid, lifecycle }) => order_uuid === id && lifecycle === 'filled',
    send: (key) => ask('DELETE', `${at}/${id}?trade_pair=BTCUSDC`, keyed(key)),
    instead: () => ask('GET', `${at}/${id}`),
  };
}
