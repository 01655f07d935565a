import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { fresh } from '../support/identity.ts';
import { expectApiError } from '../support/operator.ts';
import { effectsOf, market } from '../support/orders.ts';
import { startTrading, TRADING, type Trading } from '../support/trading.ts';

const ORDERS = `${TRADING}/orders`;

describe('callers who share a key or a name', function () {
  this.timeout(30_000);
  let service: Trading;
  before(async () => {
    service = await startTrading({ settings: { TRUSTED_PROXIES: '1' } });
  });
  after(() => service.stop());

  it('of unknown callers’ keys, those of another network are other keys', async () => {
    const from = (address: string, slug: string) =>
      service.ask('POST', '/v2/app-requests', {
        json: { company_name: 'Company', slug, contact_email: `${slug}@example.com`, use_case: 'Trading' },
        headers: { 'Idempotency-Key': 'the-same', 'X-Forwarded-For': address },
      });
    const [one, two] = [fresh('one'), fresh('two')];

    const first = await from('198.51.100.7', one);
    const other = await from('203.0.113.9', two);
    const repeated = await from('198.51.100.7', one);
    const reused = await from('198.51.100.7', two);

    expect([first.status, other.status]).to.deep.equal([200, 200]);
    expect(other.body.request_id).not.to.equal(first.body.request_id);
    expect(repeated.body).to.deep.equal(first.body);
    expectApiError(reused, 'IDEMPOTENCY_KEY_REUSED');
  });

  it('of users of one app, the same order under the same name is no repeat of the other’s', async () => {
    const [ann, bob] = [await service.propTrader(), await service.propTrader()];
    const order_uuid = randomUUID();
    const placed = await ann.ask('POST', ORDERS, { json: market({ order_uuid }) });

    const taken = await bob.ask('POST', ORDERS, { json: market({ order_uuid }) });

    expect(placed.status).to.equal(200);
    expectApiError(taken, 'V2_ORDER_UUID_REUSED');
    expect(taken.headers.get('intent-id')).to.equal(null);
    expect(effectsOf(service, bob)).to.deep.equal([]);
    expectApiError(await bob.ask('GET', `${ORDERS}/${order_uuid}`), 'V2_ORDER_UNKNOWN');
  });
});
