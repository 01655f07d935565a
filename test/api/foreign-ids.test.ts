import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { listOperations, type Operation } from '../../src/contract/document.ts';
import { type Ask, asking, bearer } from '../support/identity.ts';
import { checkOut, eventually } from '../support/money.ts';
import { examplesOf, UUID } from '../support/samples.ts';
import { startTrading, type TestTrader, type Trading } from '../support/trading.ts';

/**
 * Operations of tenants that take an id. Operators own nothing, and a link belongs to its holder, so theirs are left
 * out.
 */
const naming = listOperations().filter(
  ({ path, security }) =>
    path.includes('{') && security.length > 0 && !security.flat().some(({ scheme }) => scheme.startsWith('admin')),
);

/**
 * Other permitted responses to an unknown caller: the operation's own error for an unknown id, or an error in the
 * request itself.
 */
const REPORTED: Record<string, (status: number, body: { status?: string }) => boolean> = {
  getExvenueRegistration: (status, body) => status === 200 && body.status === 'not_found',
  renewOnboardingLink: (status) => status === 422,
  cancelExvenueOrder: (status) => status === 422,
};

describe('ids of another tenant', () => {
  let service: Trading;
  let ids: Record<string, string>;
  let unknownCallers: Record<string, Ask>;

  before(async () => {
    service = await startTrading();
    const owner = await service.propTrader();
    ids = { ...(await idsOfPartner()), ...(await idsOfApp(owner)) };
    unknownCallers = await unknownCallerOf();
  });
  after(() => service.stop());

  /** Every id a partner can own, by its place in the contract. */
  async function idsOfPartner(): Promise<Record<string, string>> {
    const trader = await service.trader();
    const wallet = await service.wallet();
    const order = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.1 };
    const { body } = await trader.post('/v1/orders/netvenue', order);
    return {
      'v1:order_uuid': body.order_uuid,
      'v1:intent_id': body.order_uuid,
      'v1:ex_wallet': wallet.wallet,
      'v1:ex_address': wallet.wallet,
      'v1:order_id': '1',
      'v1:Trader-ID': trader.traderId,
    };
  }

  /** Every id an app and its user can own. */
  async function idsOfApp({ ask, user, account, key }: TestTrader): Promise<Record<string, string>> {
    const endpoint = await service.tenant.ask('POST', '/v2/webhook-endpoints', {
      json: { url: 'https://hooks.example.com/x', events: ['*'] },
    });
    const payment = await checkOut(ask);
    const { id: apiKey } = await key();
    const order = await ask('POST', '/v2/trading/orders', {
      json: { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.1 },
    });
    await service.tenant.ask('POST', '/v2/notifications/send', {
      json: { user_id: user.userId, subject: 's', html: 'h', fanout_event: 'payment.failed' },
    });
    const delivery = await eventually(async () =>
      service.db.maybeOneFirst(sql.type(z.object({ id: z.string() }))`select id from webhook_deliveries limit 1`),
    );
    return {
      intent_id: order.body.order_uuid,
      order_uuid: order.body.order_uuid,
      payment_id: payment.payment_id,
      id: account.id,
      prop_account_id: account.id,
      endpoint_id: endpoint.body.id,
      delivery_id: delivery,
      api_key_id: apiKey,
      processor_account_id: 'acct_nobody',
      payout_id: 'po_nobodynobodynobodynobody',
    };
  }

  /**
   * Another partner, another app, another app's user, another user of the same app, and a trader key of another
   * account.
   */
  async function unknownCallerOf(): Promise<Record<string, Ask>> {
    const partner = await service.trader();
    const app = await service.app(['*']);
    const user = await service.user(app);
    const neighbour = await service.propTrader();
    return {
      partner: asking(service.url, { Authorization: `Bearer ${partner.key}`, 'Trader-ID': partner.traderId }),
      app: asking(service.url, bearer(app.token)),
      user: user.ask,
      neighbour: neighbour.ask,
      key: (await neighbour.key()).ask,
    };
  }

  for (const operation of naming) {
    it(`give no access to ${operation.id}`, async () => {
      for (const [who, ask] of Object.entries(unknownCallers)) {
        if (who === 'neighbour' && isOfTheWholeApp(operation)) continue;
        const { status, body } = await ask(operation.method.toUpperCase(), pathOf(operation), {
          ...bodyOf(operation),
          ...(operation.path.startsWith('/v2/trading') && {
            headers: { 'X-Prop-Account': String(ids.prop_account_id) },
          }),
        });

        const isRejected = [401, 403, 404, 409].includes(status) || REPORTED[operation.id]?.(status, body);
        expect(isRejected, `${who}: ${status} ${JSON.stringify(body)}`).to.equal(true);
      }
    });
  }

  /** Operations that any user of an app may perform for it. */
  const isOfTheWholeApp = ({ security }: Operation) => security.every((set) => set.length === 1);

  function pathOf({ path, parameters }: Operation): string {
    const generation = path.slice(1, 3);
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => ids[`${generation}:${name}`] ?? ids[name] ?? UUID);
    const wantsPair = parameters.some(({ name, in: place }) => name === 'trade_pair' && place === 'query');
    return wantsPair ? `${filled}?trade_pair=BTCUSDC` : filled;
  }

  const bodyOf = ({ body }: Operation) =>
    body ? { json: examplesOf(body.pointer.replace(/\/schema$/, ''))[0] ?? {} } : {};
});
