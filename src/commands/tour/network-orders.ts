import { type As, type Guide, traderChapter } from './guide.ts';

const ORDERS = '/v1/orders/netvenue';
const BTC = 'BTCUSDC';
const ETH = 'ETHUSDC';

/** The life of network orders: place, poll, repeat, edit, cancel, protect and close. */
export const networkOrders = traderChapter('Orders on the network', placeAndPoll, rest, protectAndClose);

async function placeAndPoll({ say, ask, poll, check, gained }: Guide, as: As): Promise<void> {
  say('Place a market order without waiting: it is accepted durably, and the response names the address to poll.');
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
  check('the response is marked as replayed', again.headers['idempotent-replayed'] === 'true');
  await gained();
}

async function rest({ say, ask, check, gained }: Guide, as: As): Promise<void> {
  say('Place a limit order far from the market, waiting for the result: it rests.');
  const limit = { trade_pair: ETH, order_type: 'LONG', execution_type: 'LIMIT', quantity: 0.5, limit_price: 3_000 };
  const { body } = await ask({ method: 'POST', path: ORDERS, body: limit, headers: as, expect: 200 });
  const uuid = body.order_uuid;
  const path = `${ORDERS}/${uuid}`;
  await gained({ kind: 'limit', key: uuid, pair: ETH });
  const resting = await ask({ method: 'GET', path, headers: as, expect: 200 });
  check('it rests', resting.body.lifecycle === 'resting');

  say('Edit its price. The network receives the whole order, merged from our record.');
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

  say('Close the position. This also removes its protection.');
  const close = { method: 'POST', path: `${ORDERS}/close`, body: { trade_pair: BTC }, headers: as } as const;
  const closed = await ask({ ...close, expect: 200 });
  await gained({ kind: 'flat_all', pair: BTC });
  check('the close was accepted', closed.body.status === 'accepted');

  say('Close again: no position is left.');
  const empty = await ask({ ...close, expect: 409 });
  check('the error reports no effect', empty.body.error.effect === 'none');
  await gained();
}
