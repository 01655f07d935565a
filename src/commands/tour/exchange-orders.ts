import type { Chapter, Expected, Guide, Trader } from './guide.ts';

const ORDERS = '/v1/orders/exvenue';
/** One signed action at the exchange. The ledger lists its effects as separate entries. */
const ACTION: Expected = { kind: 'action' };

/** The life of exchange orders: place, follow, rest, list, protect, cancel and close. Revokes the enrollment last. */
export const exchangeOrders: Chapter = {
  title: 'Orders on the exchange',
  async walk(guide, notes) {
    const as = { 'Trader-ID': notes.get('wallet') ?? '' };
    await placeAndFollow(guide, as);
    await loseResponse(guide, as);
    const resting = await rest(guide, as);
    await protectTwice(guide, as);
    await cancel(guide, as, resting);
    await close(guide, as);
    await revoke(guide, as);
  },
};

/** The ledger entries of an order. Its client order id at the exchange is the order id. */
const effects = (pair: string, orderId: string | null, ...kinds: string[]): Expected[] =>
  kinds.map((kind) => ({ kind, pair, key: `0x${orderId?.replaceAll('-', '')}` }));

const MARKET = { pair: 'BTC-USDC', side: 'long', size: '0.01', order_type: 'market' } as const;

async function placeAndFollow({ say, partner: { api, settled }, check, gained }: Guide, as: Trader): Promise<void> {
  say('Place a market order and wait for the result.');
  const placed = await settled(api.POST(ORDERS, { params: { header: as }, body: MARKET }));
  check('it is filled', placed.status === 'filled' && placed.filled_size === '0.01');
  await gained(ACTION, ...effects('BTC', placed.order_id, 'placed', 'filled'));

  say(
    'Place one for 500 USD without waiting: the 202 names the address to poll, and the client follows it to its end.',
  );
  const keyed = { ...as, 'Idempotency-Key': `tour-${Date.now()}` };
  const body = { ...MARKET, size: 500, size_in_usd: true };
  const worth = await settled(api.POST(ORDERS, { params: { header: { ...keyed, Prefer: 'wait=0' } }, body }));
  check('it is filled', worth.status === 'filled');
  await gained(ACTION, ...effects('BTC', worth.order_id, 'placed', 'filled'));

  say('The same request with the same Idempotency-Key gets the same order; nothing is signed again.');
  const again = await settled(api.POST(ORDERS, { params: { header: keyed }, body }));
  check('it is the same order', again.order_id === worth.order_id);
  await gained();
}

async function loseResponse({ say, partner: { api, settled }, check, gained }: Guide, as: Trader): Promise<void> {
  say(
    'The exchange executes an order and closes the connection without response (size 0.0502): the order is reconciled.',
  );
  const body = { pair: 'ETH', side: 'short', size: '0.0502', order_type: 'market' } as const;
  const placed = await settled(api.POST(ORDERS, { params: { header: { ...as, Prefer: 'wait=0' } }, body }));
  check('its reconciled result is filled', placed.status === 'filled');
  await gained(ACTION, ...effects('ETH', placed.order_id, 'placed', 'filled'));
}

/** Returns the exchange's id of the resting order. */
async function rest({ say, partner: { api, settled, rows }, check, gained }: Guide, header: Trader): Promise<string> {
  say('Place a limit order far from the market: it rests, and the list shows it.');
  const limit = { order_type: 'limit', price: '120', time_in_force: 'alo' } as const;
  const body = { pair: 'SOL/USD', side: 'long', size: 2, ...limit } as const;
  const placed = await settled(api.POST(ORDERS, { params: { header }, body }));
  check('it is open', placed.status === 'open');
  await gained(ACTION, ...effects('SOL', placed.order_id, 'placed'));
  const list = await Array.fromAsync(rows(api.GET(ORDERS, { params: { header } })));
  check('it is listed', list.length === 1 && list[0]?.order_id === placed.order_id);
  return placed.ex_order_id ?? '';
}

async function protectTwice({ say, partner: { api, settled }, check, gained }: Guide, header: Trader): Promise<void> {
  say('Protect the position with a take-profit and a stop-loss.');
  const both = { pair: 'BTC', take_profit: '130000', stop_loss: '80000' };
  const first = await settled(api.POST(`${ORDERS}/tp-sl`, { params: { header }, body: both }));
  check('both are placed', first.trigger_status === 'placed');
  await gained(ACTION, { kind: 'placed', pair: 'BTC' }, { kind: 'placed', pair: 'BTC' });

  say('Replace the stop-loss: the new one is placed before the old one is cancelled, and the take-profit stays.');
  const body = { pair: 'BTC', stop_loss: '90000' };
  const second = await settled(api.POST(`${ORDERS}/tp-sl`, { params: { header }, body }));
  check('the take-profit is the same', second.tp_order_id === first.tp_order_id);
  const entries = await gained(ACTION, { kind: 'placed', pair: 'BTC' }, ACTION, { kind: 'cancelled', pair: 'BTC' });
  const [placed, cancelled] = entries.filter(({ kind }) => kind !== 'action');
  check('the new one was placed first', String(placed?.detail.oid) === second.sl_order_id);
  check('the old one was cancelled', String(cancelled?.detail.oid) === first.sl_order_id);
}

async function cancel(guide: Guide, header: Trader, order_id: string): Promise<void> {
  const { say, partner, check, gained } = guide;
  const { api, settled } = partner;
  say('Cancel the resting order by its id at the exchange.');
  const cancelOne = () => settled(api.DELETE(`${ORDERS}/{order_id}`, { params: { header, path: { order_id } } }));
  const one = await cancelOne();
  check('it is cancelled', one.status === 'ok' && one.cancelled_count === 1);
  await gained(ACTION, { kind: 'cancelled', pair: 'SOL' });
  check('a second cancel reports that it is closed', (await cancelOne()).status === 'already_closed');
  await gained();

  say('Cancel all: one action cancels both exits.');
  const all = await settled(api.DELETE(ORDERS, { params: { header } }));
  check('two are cancelled', all.cancelled_count === 2 && all.failed_count === 0);
  await gained(ACTION, { kind: 'cancelled', pair: 'BTC' }, { kind: 'cancelled', pair: 'BTC' });
}

async function close({ say, partner, rejected, check, gained }: Guide, header: Trader): Promise<void> {
  const { api, settled } = partner;
  say('Close the position at market price with a reduce-only order of its full size.');
  const closeIt = () => settled(api.POST(`${ORDERS}/close`, { params: { header }, body: { pair: 'BTC' } }));
  const closed = await closeIt();
  check('the whole position is sold', closed.side === 'short' && closed.status === 'filled');
  await gained(ACTION, ...effects('BTC', closed.order_id, 'placed', 'filled'));

  say('Close again: no position is left.');
  const { effect } = await rejected('V1_NO_POSITION', closeIt());
  check('the error reports no effect', effect === 'none');
  await gained();
}

async function revoke({ say, partner, rejected, gained }: Guide, header: Trader): Promise<void> {
  const { api, settled } = partner;
  say('Revoke the enrollment: the key is wiped, and the service can no longer sign for the wallet.');
  await settled(api.DELETE('/v1/sessions/{ex_wallet}', { params: { path: { ex_wallet: header['Trader-ID'] } } }));
  await rejected('V1_NOT_ENROLLED', settled(api.POST(ORDERS, { params: { header }, body: MARKET })));
  await gained();
}
