import { type Guide, type Trader, traderChapter } from './guide.ts';

const ORDERS = '/v1/orders/netvenue';

/** The venue rejects an order, and it acts without a response. The sandbox scripts both for certain leverages. */
export const networkFaults = traderChapter('Faults of the venue', beRejected, loseResponse);

async function beRejected({ say, partner, rejected, check, gained }: Guide, header: Trader): Promise<void> {
  say('The venue rejects an order (leverage 0.0404): the reason is a stable slug, and the effect is none.');
  const body = { trade_pair: 'SOLUSDC', order_type: 'LONG', leverage: 0.0404 } as const;
  const call = partner.settled(partner.api.POST(ORDERS, { params: { header }, body }));
  const { reason, effect } = await rejected('VENUE_REJECTED', call);
  check('the reason is no_live_prices, and nothing happened', reason === 'no_live_prices' && effect === 'none');
  await gained();
}

async function loseResponse({ say, partner: { api, settled }, check, gained }: Guide, as: Trader): Promise<void> {
  say(
    'The venue executes an order and closes the connection without response (leverage 0.05): the order is reconciled.',
  );
  const body = { trade_pair: 'SOLUSDC', order_type: 'LONG', leverage: 0.05 } as const;
  const placed = await settled(api.POST(ORDERS, { params: { header: { ...as, Prefer: 'wait=0' } }, body }));
  check('its reconciled result is that it was accepted', placed.status === 'accepted');
  await gained({ kind: 'market', key: placed.order_uuid ?? '', pair: 'SOLUSDC' });
}
