import type { Chapter, Guide } from './guide.ts';

const ORDERS = '/v1/orders/netvenue';
const BTC = 'BTCUSDC';
const ETH = 'ETHUSDC';

/** The life of network orders: placed, polled, repeated, edited, cancelled, protected, closed. */
export const networkOrders: Chapter = {
  title: 'Orders on the network',
  async walk(guide, told) {
    const as = { 'Trader-ID': told.get('trader') ?? '' };
    await placeAndPoll(guide, as);
    await rest(guide, as);
    await protectAndClose(guide, as);
  },
};

type As = { 'Trader-ID': string };

async function placeAndPoll({ say, ask, poll, check, gained }: Guide, as: As): Promise<void> {
  say('Place a market order without waiting: it is accepted durably, and the answer says where to poll.');
  const market = { trade_pair: BTC, order_type: 'LONG', leverage: 0.1 };
  const request = { method: 'POST', path: ORDERS, body: market } as const;
  const headers = { ...as, 'Idempotency-Key': `tour-${Date.now()}` };
  const placed = await ask({ ...request, headers: { ...headers, Prefer: 'wait=0' }, expect: 202 });
  const order = await poll(placed, as);
  check('it is completed and filled', order.body.status === 'completed' && order.body.lifecycle === 'filled');
  await gained({ kind: 'market', key: placed.body.order_uuid, pair: BTC });

  say('The same request with the same Idempotency-Key gets the same order; nothing is sent again.');
  const again = await ask({ ...request, headers, expect: 200 });
  check('it is the same order', again.body.order_uuid === placed.body.order_uuid);
  check('the answer says so', again.headers['idempotent-replayed'] === 'true');
  await gained();
}

async function rest({ say, ask, check, gained }: Guide, as: As): Promise<void> {
  say('Place a limit order far from the market, waiting for the answer: it rests.');
  const limit = { trade_pair: ETH, order_type: 'LONG', execution_type: 'LIMIT', quantity: 0.5, limit_price: 3_000 };
  const { body } = await ask({ method: 'POST', path: ORDERS, body: limit, headers: as, expect: 200 });
  const uuid = body.order_uuid;
  const path = `${ORDERS}/${uuid}`;
  await gained({ kind: 'limit', key: uuid, pair: ETH });
  const resting = await ask({ method: 'GET', path, headers: as, expect: 200 });
  check('it rests', resting.body.lifecycle === 'resting');

  say('Edit its price. The network is sent the whole order, merged from our record.');
  await ask({
    method: 'POST',
    path: `${path}/edit`,
    body: { trade_pair: ETH, limit_price: 3_100 },
    headers: as,
    expect: 200,
  });
  await gained({ kind: 'edit', key: uuid, pair: ETH });

  say('Cancel it.');
  await ask({ method: 'DELETE', path: `${path}?trade_pair=${ETH}`, headers: as, expect: 200 });
  await gained({ kind: 'cancel', key: uuid, pair: ETH });
  const cancelled = await ask({ method: 'GET', path, headers: as, expect: 200 });
  check('it is cancelled', cancelled.body.lifecycle === 'cancelled');
}

async function protectAndClose({ say, ask, check, gained }: Guide, as: As): Promise<void> {
  say('Protect the position with a stop-loss and a take-profit.');
  const exits = { trade_pair: BTC, stop_loss: 90_000, take_profit: 130_000 };
  const protectedBy = await ask({ method: 'POST', path: `${ORDERS}/tp-sl`, body: exits, headers: as, expect: 200 });
  await gained({ kind: 'bracket', key: protectedBy.body.order_uuid, pair: BTC });

  say('Close the position. Its protection goes with it.');
  const closed = await ask({
    method: 'POST',
    path: `${ORDERS}/close`,
    body: { trade_pair: BTC },
    headers: as,
    expect: 200,
  });
  await gained({ kind: 'flat_all', pair: BTC });
  check('the close was accepted', closed.body.status === 'accepted');

  say('There is nothing left to close.');
  const empty = await ask({
    method: 'POST',
    path: `${ORDERS}/close`,
    body: { trade_pair: BTC },
    headers: as,
    expect: 409,
  });
  check('the refusal says that there is no effect', empty.body.error.effect === 'none');
  await gained();
}
