import type { Chapter, Guide } from './guide.ts';

const ORDERS = '/v1/orders/netvenue';

/** What happens when the venue refuses, or falls silent after it acted. The sandbox does so for orders of certain leverages. */
export const networkFaults: Chapter = {
  title: 'When the venue misbehaves',
  async walk(guide, told) {
    const as = { 'Trader-ID': told.get('trader') ?? '' };
    await beRefused(guide, as);
    await loseAnAnswer(guide, as);
  },
};

type As = { 'Trader-ID': string };

async function beRefused({ say, ask, check, gained }: Guide, as: As): Promise<void> {
  say('The venue refuses an order (leverage 0.0404): the reason is a stable word, and there is no effect.');
  const body = { trade_pair: 'SOLUSDC', order_type: 'LONG', leverage: 0.0404 };
  const refused = await ask({ method: 'POST', path: ORDERS, body, headers: as, expect: 422 });
  const { code, reason, effect } = refused.body.error;
  check(
    'VENUE_REJECTED, no_live_prices, no effect',
    code === 'VENUE_REJECTED' && reason === 'no_live_prices' && effect === 'none',
  );
  await gained();
}

async function loseAnAnswer({ say, ask, poll, check, gained }: Guide, as: As): Promise<void> {
  say(
    'The venue executes an order and closes the connection without an answer (leverage 0.05): the order is looked up.',
  );
  const body = { trade_pair: 'SOLUSDC', order_type: 'LONG', leverage: 0.05 };
  const placed = await ask({ method: 'POST', path: ORDERS, body, headers: { ...as, Prefer: 'wait=0' }, expect: 202 });
  const order = await poll(placed, as);
  check('it is known to be filled', order.body.status === 'completed' && order.body.lifecycle === 'filled');
  await gained({ kind: 'market', key: placed.body.order_uuid, pair: 'SOLUSDC' });
}
