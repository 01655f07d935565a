import { type Guide, type Trader, traderChapter } from './guide.ts';

const ORDERS = '/v1/orders/netvenue';
const BTC = 'BTCUSDC';
const ETH = 'ETHUSDC';

/** The life of network orders: place, follow, repeat, edit, cancel, protect and close. */
export const networkOrders = traderChapter('Orders on the network', placeAndFollow, rest, protectAndClose, readHistory);

async function placeAndFollow({ say, partner, check, gained }: Guide, as: Trader): Promise<void> {
  const { api, settled } = partner;
  say('Place a market order without waiting: the 202 names the address to poll, and the client follows it to its end.');
  const body = { trade_pair: BTC, order_type: 'LONG', leverage: 0.1 } as const;
  const keyed = { ...as, 'Idempotency-Key': `tour-${Date.now()}` };
  const placed = await settled(api.POST(ORDERS, { params: { header: { ...keyed, Prefer: 'wait=0' } }, body }));
  const order_uuid = placed.order_uuid ?? '';
  const order = await settled(api.GET(`${ORDERS}/{order_uuid}`, { params: { header: as, path: { order_uuid } } }));
  check('it is completed and filled', order.status === 'completed' && order.lifecycle === 'filled');
  await gained({ kind: 'market', key: order_uuid, pair: BTC });

  say('The same request with the same Idempotency-Key gets the same order; nothing is sent again.');
  const again = await api.POST(ORDERS, { params: { header: keyed }, body });
  check('it is the same order', (await settled(again)).order_uuid === order_uuid);
  check('the response is marked as replayed', again.response.headers.get('Idempotent-Replayed') === 'true');
  await gained();
}

async function rest({ say, partner: { api, settled }, check, gained }: Guide, as: Trader): Promise<void> {
  say('Place a limit order far from the market, waiting for the result: it rests.');
  const limit = {
    trade_pair: ETH,
    order_type: 'LONG',
    execution_type: 'LIMIT',
    quantity: 0.5,
    limit_price: 3_000,
  } as const;
  const placed = await settled(api.POST(ORDERS, { params: { header: as }, body: limit }));
  const order_uuid = placed.order_uuid ?? '';
  const one = { header: as, path: { order_uuid } };
  const read = () => settled(api.GET(`${ORDERS}/{order_uuid}`, { params: one }));
  await gained({ kind: 'limit', key: order_uuid, pair: ETH });
  check('it rests', (await read()).lifecycle === 'resting');

  say('Edit its price. The network receives the whole order, merged from our record.');
  const change = { trade_pair: ETH, limit_price: 3_100 };
  await settled(api.POST(`${ORDERS}/{order_uuid}/edit`, { params: one, body: change }));
  await gained({ kind: 'edit', key: order_uuid, pair: ETH });

  say('Cancel it.');
  await settled(api.DELETE(`${ORDERS}/{order_uuid}`, { params: { ...one, query: { trade_pair: ETH } } }));
  await gained({ kind: 'cancel', key: order_uuid, pair: ETH });
  check('it is cancelled', (await read()).lifecycle === 'cancelled');
}

async function protectAndClose({ say, partner, rejected, check, gained }: Guide, header: Trader): Promise<void> {
  const { api, settled } = partner;
  say('Protect the position with a stop-loss and a take-profit.');
  const exits = { trade_pair: BTC, stop_loss: 90_000, take_profit: 130_000 };
  const bracket = await settled(api.POST(`${ORDERS}/tp-sl`, { params: { header }, body: exits }));
  await gained({ kind: 'bracket', key: bracket.order_uuid ?? '', pair: BTC });

  say('Close the position. This also removes its protection.');
  const close = () => settled(api.POST(`${ORDERS}/close`, { params: { header }, body: { trade_pair: BTC } }));
  const closed = await close();
  await gained({ kind: 'flat_all', pair: BTC });
  check('the close was accepted', closed.status === 'accepted');

  say('Close again: no position is left.');
  const error = await rejected('V1_NO_POSITION', close());
  check('the error reports no effect', error.effect === 'none');
  await gained();
}

async function readHistory({ say, partner: { api, rows }, check }: Guide, header: Trader): Promise<void> {
  say('Read the filled orders, one to a page: the client follows the pages.');
  const filled = await Array.fromAsync(
    rows(api.GET('/v1/history/orders', { params: { header, query: { limit: 1 } } })),
  );
  check(`it has all ${filled.length} filled orders`, filled.length === 2);
}
