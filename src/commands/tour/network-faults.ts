import { type As, type Guide, traderChapter } from './guide.ts';

const ORDERS = '/v1/orders/netvenue';

/** The venue rejects an order, and it acts without a response. The sandbox scripts both for certain leverages. */
export const networkFaults = traderChapter('Faults of the venue', beRejected, loseResponse);

async function beRejected({ say, ask, check, gained }: Guide, as: As): Promise<void> {
  say('The venue rejects an order (leverage 0.0404): the reason is a stable slug, and the effect is none.');
  const body = { trade_pair: 'SOLUSDC', order_type: 'LONG', leverage: 0.0404 };
  const rejected = await ask({ method: 'POST', path: ORDERS, body, headers: as, expect: 422 });
  const { code, reason, effect } = rejected.body.error;
  check(
    'VENUE_REJECTED, no_live_prices, no effect',
    code === 'VENUE_REJECTED' && reason === 'no_live_prices' && effect === 'none',
  );
  await gained();
}

async function loseResponse({ say, ask, poll, check, gained }: Guide, as: As): Promise<void> {
  say(
    'The venue executes an order and closes the connection without response (leverage 0.05): the order is reconciled.',
  );
  const body = { trade_pair: 'SOLUSDC', order_type: 'LONG', leverage: 0.05 };
  const placed = await ask({ method: 'POST', path: ORDERS, body, headers: { ...as, Prefer: 'wait=0' }, expect: 202 });
  const order = await poll(placed, as);
  check('its reconciled result is filled', order.body.status === 'completed' && order.body.lifecycle === 'filled');
  await gained({ kind: 'market', key: placed.body.order_uuid, pair: 'SOLUSDC' });
}
