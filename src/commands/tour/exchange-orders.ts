import type { Chapter, Expected, Guide } from './guide.ts';

const ORDERS = '/v1/orders/exvenue';
/** One signed action at the exchange. The ledger lists its effects as separate entries. */
const ACTION: Expected = { kind: 'action' };

/** The life of exchange orders: place, poll, rest, list, protect, cancel and close. Revokes the enrollment last. */
export const exchangeOrders: Chapter = {
  title: 'Orders on the exchange',
  async walk(guide, notes) {
    const wallet = notes.get('wallet') ?? '';
    const as = { 'Trader-ID': wallet };
    await placeAndPoll(guide, as);
    await loseResponse(guide, as);
    const resting = await rest(guide, as);
    await protectTwice(guide, as);
    await cancel(guide, as, resting);
    await close(guide, as);
    await revoke(guide, as);
  },
};

type As = { 'Trader-ID': string };

/** The ledger entries of an order. Its client order id at the exchange is the order id. */
const effects = (pair: string, orderId: string, ...kinds: string[]): Expected[] =>
  kinds.map((kind) => ({ kind, pair, key: `0x${orderId.replaceAll('-', '')}` }));

async function placeAndPoll({ say, ask, poll, check, gained }: Guide, as: As): Promise<void> {
  say('Place a market order and wait for the result.');
  const market = { pair: 'BTC-USDC', side: 'long', size: '0.01', order_type: 'market' };
  const placed = await ask({ method: 'POST', path: ORDERS, body: market, headers: as, expect: 200 });
  check('it is filled', placed.body.status === 'filled' && placed.body.filled_size === '0.01');
  await gained(ACTION, ...effects('BTC', placed.body.order_id, 'placed', 'filled'));

  say('Place one for 500 USD without waiting: it is accepted durably, and the response names the address to poll.');
  const headers = { ...as, 'Idempotency-Key': `tour-${Date.now()}` };
  const worth = { ...market, size: 500, size_in_usd: true };
  const request = { method: 'POST', path: ORDERS, body: worth } as const;
  const taken = await ask({ ...request, headers: { ...headers, Prefer: 'wait=0' }, expect: 202 });
  const intent = await poll(taken);
  check('the intent has succeeded', intent.body.state === 'succeeded' && intent.body.result.status === 'filled');
  await gained(ACTION, ...effects('BTC', taken.body.order_id, 'placed', 'filled'));

  say('The same request with the same Idempotency-Key gets the same order; nothing is signed again.');
  const again = await ask({ ...request, headers, expect: 200 });
  check('it is the same order', again.body.order_id === taken.body.order_id);
  await gained();
}

async function loseResponse({ say, ask, poll, check, gained }: Guide, as: As): Promise<void> {
  say(
    'The exchange executes an order and closes the connection without response (size 0.0502): the order is reconciled.',
  );
  const order = { pair: 'ETH', side: 'short', size: '0.0502', order_type: 'market' };
  const headers = { ...as, Prefer: 'wait=0' };
  const taken = await ask({ method: 'POST', path: ORDERS, body: order, headers, expect: 202 });
  const intent = await poll(taken);
  check('its reconciled result is filled', intent.body.effect === 'done' && intent.body.result.status === 'filled');
  await gained(ACTION, ...effects('ETH', taken.body.order_id, 'placed', 'filled'));
}

/** Returns the exchange's id of the resting order. */
async function rest({ say, ask, check, gained }: Guide, as: As): Promise<string> {
  say('Place a limit order far from the market: it rests, and the list shows it.');
  const limit = { pair: 'SOL/USD', side: 'long', size: 2, order_type: 'limit', price: '120', time_in_force: 'alo' };
  const { body } = await ask({ method: 'POST', path: ORDERS, body: limit, headers: as, expect: 200 });
  check('it is open', body.status === 'open');
  await gained(ACTION, ...effects('SOL', body.order_id, 'placed'));
  const list = await ask({ method: 'GET', path: ORDERS, headers: as, expect: 200 });
  check('it is listed', list.body.length === 1 && list.body[0].order_id === body.order_id);
  return body.ex_order_id;
}

async function protectTwice({ say, ask, check, gained }: Guide, as: As): Promise<void> {
  say('Protect the position with a take-profit and a stop-loss.');
  const both = { pair: 'BTC', take_profit: '130000', stop_loss: '80000' };
  const first = await ask({ method: 'POST', path: `${ORDERS}/tp-sl`, body: both, headers: as, expect: 200 });
  check('both are placed', first.body.trigger_status === 'placed');
  await gained(ACTION, { kind: 'placed', pair: 'BTC' }, { kind: 'placed', pair: 'BTC' });

  say('Replace the stop-loss: the new one is placed before the old one is cancelled, and the take-profit stays.');
  const body = { pair: 'BTC', stop_loss: '90000' };
  const second = await ask({ method: 'POST', path: `${ORDERS}/tp-sl`, body, headers: as, expect: 200 });
  check('the take-profit is the same', second.body.tp_order_id === first.body.tp_order_id);
  const entries = await gained(ACTION, { kind: 'placed', pair: 'BTC' }, ACTION, { kind: 'cancelled', pair: 'BTC' });
  const [placed, cancelled] = entries.filter(({ kind }) => kind !== 'action');
  check('the new one was placed first', String(placed?.detail.oid) === second.body.sl_order_id);
  check('the old one was cancelled', String(cancelled?.detail.oid) === first.body.sl_order_id);
}

async function cancel({ say, ask, check, gained }: Guide, as: As, resting: string): Promise<void> {
  say('Cancel the resting order by its id at the exchange.');
  const path = `${ORDERS}/${resting}`;
  const one = await ask({ method: 'DELETE', path, headers: as, expect: 200 });
  check('it is cancelled', one.body.status === 'ok' && one.body.cancelled_count === 1);
  await gained(ACTION, { kind: 'cancelled', pair: 'SOL' });
  const again = await ask({ method: 'DELETE', path, headers: as, expect: 200 });
  check('a second cancel reports that it is closed', again.body.status === 'already_closed');
  await gained();

  say('Cancel all: one action cancels both exits.');
  const all = await ask({ method: 'DELETE', path: ORDERS, headers: as, expect: 200 });
  check('two are cancelled', all.body.cancelled_count === 2 && all.body.failed_count === 0);
  await gained(ACTION, { kind: 'cancelled', pair: 'BTC' }, { kind: 'cancelled', pair: 'BTC' });
}

async function close({ say, ask, check, gained }: Guide, as: As): Promise<void> {
  say('Close the position at market price with a reduce-only order of its full size.');
  const request = { method: 'POST', path: `${ORDERS}/close`, body: { pair: 'BTC' }, headers: as } as const;
  const closed = await ask({ ...request, expect: 200 });
  check('the whole position is sold', closed.body.side === 'short' && closed.body.status === 'filled');
  await gained(ACTION, ...effects('BTC', closed.body.order_id, 'placed', 'filled'));

  say('Close again: no position is left.');
  const empty = await ask({ ...request, expect: 409 });
  check('the error reports no effect', empty.body.error.effect === 'none');
  await gained();
}

async function revoke({ say, ask, check, gained }: Guide, as: As): Promise<void> {
  say('Revoke the enrollment: the key is wiped, and the service can no longer sign for the wallet.');
  await ask({ method: 'DELETE', path: `/v1/sessions/${as['Trader-ID']}`, expect: 204 });
  const order = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
  const rejected = await ask({ method: 'POST', path: ORDERS, body: order, headers: as, expect: 409 });
  check('the wallet is not enrolled', rejected.body.error.code === 'V1_NOT_ENROLLED');
  await gained();
}
