import { connect, ServiceError } from '../../client/index.ts';
import { type As, type Guide, traderChapter } from './guide.ts';

const ORDERS = '/v1/orders/netvenue';
const XRP = 'XRPUSDC';

/** The same with the TypeScript client of src/client/: orders of a partner, and the record of an app. */
export const throughClient = traderChapter('The TypeScript client', place, readApp);

async function place({ say, check, gained, service }: Guide, as: As): Promise<void> {
  const { api, settled, rows } = connect({ baseUrl: service.url, credentials: { partnerKey: service.key } });
  const trader = { 'Trader-ID': as['Trader-ID'] ?? '' };
  say('settled(api.POST(…)) places an order without waiting, and follows the 202 to the order that was placed.');
  const body = { trade_pair: XRP, order_type: 'LONG', leverage: 0.1 } as const;
  const params = { header: { ...trader, Prefer: 'wait=0' } };
  const placed = await settled(api.POST(ORDERS, { params, body }));
  check('it was accepted', placed.status === 'accepted');
  await gained({ kind: 'market', key: placed.order_uuid ?? '', pair: XRP });

  say('rows(api.GET(…)) reads a list over all its pages.');
  const filled = await Array.fromAsync(
    rows(api.GET('/v1/history/orders', { params: { header: trader, query: { limit: 2 } } })),
  );
  check(
    `it has all ${filled.length} filled orders`,
    filled.some(({ pair }) => pair.startsWith('XRP')),
  );

  say('An error is thrown as a ServiceError, which tells whether anything happened.');
  const closing = api.POST(`${ORDERS}/close`, { params, body: { trade_pair: 'ADAUSDC' } });
  const error = await settled(closing).catch((each) => each);
  check(
    'no position: V1_NO_POSITION, no effect',
    error instanceof ServiceError && error.code === 'V1_NO_POSITION' && error.effect === 'none',
  );
  await gained();
}

async function readApp({ say, check, service }: Guide): Promise<void> {
  say('An app gives its credentials; the client obtains the access token, and a new one before it ends.');
  const { client_id: clientId, client_secret: clientSecret } = service.app;
  const { api, settled } = connect({ baseUrl: service.url, credentials: { clientId, clientSecret } });
  const { app_id } = await settled(api.GET('/v2/apps/me'));
  check('it is the app', app_id === clientId);
}
