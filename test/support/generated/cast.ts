import { sql } from 'slonik';
import { createPartner } from '../../../src/capabilities/partners/commands.ts';
import { startRegistrarUpstream } from '../../../src/sandbox/registrar/index.ts';
import { asking, bearer } from '../identity.ts';
import { checkOut, tierDemo } from '../money.ts';
import { startTrading, type TestTrader, type Trading } from '../trading.ts';
import type { Cast } from './requests.ts';

const ORDER = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.1 };
const TIERS = ['tier_demo', 'tier_5k', 'tier_25k', 'tier_100k', 'tier_25k_forex'];

/** The whole service with every upstream, a caller of each kind, and a resource of each kind. */
export async function startCast(): Promise<Trading & { cast: Cast }> {
  const registrar = await startRegistrarUpstream();
  const service = await startTrading({
    settings: {
      ...registrar.settings,
      EXVENUE_BUDGET_PER_MINUTE: '1000000',
      THROTTLE_SCALE: '1000000',
      WEB_POOL_SIZE: '10',
    },
  });
  const trader = await service.propTrader();
  const ofPartner = await partnerCast(service);
  const ofApp = await appCast(service, trader);
  return {
    ...service,
    cast: {
      credentials: { ...ofPartner.credentials, ...ofApp.credentials },
      known: { ...ofPartner.known, ...ofApp.known },
    },
    async stop() {
      await service.stop();
      await registrar.close();
    },
  };
}

/** A partner with a trader on each venue, and its resources. */
async function partnerCast(service: Trading): Promise<Cast> {
  const trader = await service.trader();
  const fixture = asking(service.url, { ...bearer(trader.key) });
  const key = trader.key;
  const { body } = await trader.post('/v1/orders/netvenue', ORDER);
  const wallet = await service.wallet();
  await fixture('POST', '/v1/sessions', { json: { ex_wallet: wallet.wallet, private_key: wallet.privateKey } });
  const json = { url: 'https://hooks.example.com/y', events: ['*'] };
  const endpoint = await fixture('POST', '/v1/webhook-endpoints', { json });
  return {
    credentials: { partnerKey: bearer(key) },
    known: {
      'v1:endpoint_id': [endpoint.body.id],
      'v1:order_uuid': [body.order_uuid],
      'v1:intent_id': [body.order_uuid],
      'v1:ex_wallet': [wallet.wallet],
      'v1:ex_address': [wallet.wallet],
      'v1:order_id': ['1', '2'],
      'Trader-ID': [trader.traderId, wallet.wallet],
      trade_pair: ['BTCUSDC', 'BTC', 'ETHUSDC', 'EURUSD'],
    },
  };
}

/**
 * An app, its user and the user's trader key, an operator, and their resources. What the operator may disable, release or
 * change are separate ones.
 */
async function appCast(service: Trading, { ask, user, account, key }: TestTrader): Promise<Cast> {
  const app = await service.app(['*']);
  const { tenant } = service;
  await service.db.query(sql.unsafe`update apps set allowed_scopes = '{*}' where id = ${tenant.appId}`);
  const { body: all } = await service.token(tenant);
  const admin = await service.admin();
  const json = { url: 'https://hooks.example.com/x', events: ['*'] };
  const endpoint = await service.tenant.ask('POST', '/v2/webhook-endpoints', { json });
  const payment = await checkOut(ask);
  const apiKey = await key();
  const order = await ask('POST', '/v2/trading/orders', { json: ORDER });
  const bystander = await createPartner(service.db, 'Bystander');
  const other = await service.app(['api']);
  const colleague = await service.admin();
  const request = await service.ask('POST', '/v2/app-requests', {
    json: {
      company_name: 'Example',
      slug: 'example-of-requests',
      contact_email: 'someone@example.com',
      use_case: 'Something that takes some words to describe.',
    },
  });
  await user.ask('POST', '/v2/payments/free', { json: tierDemo });
  const tested = await service.tenant.ask('POST', `/v2/webhook-endpoints/${endpoint.body.id}/test`);
  return {
    credentials: {
      appToken: bearer(all.access_token),
      userSession: { 'X-Session-Token': user.session },
      traderKey: { 'X-Api-Key': apiKey.api_key },
      adminCookie: { Cookie: admin.cookie, Origin: service.url },
      adminBearer: bearer(admin.token),
      clientBasic: { Authorization: `Basic ${btoa(`${app.appId}:${app.secret}`)}` },
      processorSignature: { 'Stripe-Signature': 'right' },
    },
    known: {
      'v2:order_uuid': [order.body.order_uuid],
      'v2:intent_id': [order.body.order_uuid, payment.payment_id].filter(Boolean),
      'X-Prop-Account': [account.id],
      payment_id: [payment.payment_id],
      id: [account.id],
      prop_account_id: [account.id],
      'v2:endpoint_id': [endpoint.body.id],
      delivery_id: [tested.body.id],
      api_key_id: [apiKey.id],
      app_id: [other.appId],
      admin_id: [colleague.adminId],
      user_id: [user.userId],
      request_id: [request.body.request_id],
      partner_id: [bystander.partner_id],
      key_id: [bystander.key_id],
      tier_id: TIERS,
    },
  };
}
