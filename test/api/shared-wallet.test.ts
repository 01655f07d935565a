import { expect } from 'chai';
import { sql } from 'slonik';
import { type Caller, caller } from '../support/caller.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const long = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
const ASYNC = { prefer: 'wait=0' };

type Wallet = Awaited<ReturnType<TestService['wallet']>>;

describe('a wallet that two partners have enrolled', function () {
  this.timeout(60_000);
  let service: TestService;
  let unserved: TestService;
  before(async () => {
    [service, unserved] = await Promise.all([startService(), startService({ worker: false })]);
  });
  after(() => Promise.all([service.stop(), unserved.stop()]));

  /** Two partners with the key of one wallet. */
  async function sharing(at: TestService): Promise<[Wallet, Caller & { owner: string }]> {
    const [first, partner] = [await at.wallet(), await at.partner()];
    const enrolled = await partner.post('/v1/sessions', { ex_wallet: first.wallet, private_key: first.privateKey });
    expect(enrolled.status, JSON.stringify(enrolled.body)).to.equal(200);
    return [first, { ...caller(at.url, partner.key, { 'Trader-ID': first.wallet }), owner: partner.owner }];
  }

  it('has one order of writes, and tells neither which of the other’s is in the way', async () => {
    const [first, second] = await sharing(unserved);
    const ahead = await first.post(ORDERS, long, ASYNC);
    const behind = await second.post(`${ORDERS}/close`, { pair: 'BTC' }, ASYNC);
    const own = await first.post(`${ORDERS}/close`, { pair: 'BTC' }, ASYNC);
    const waits = async (trader: Caller, { headers }: typeof own) =>
      (await trader.get(`/v1/intents/${headers['intent-id']}`)).body.waits_for;

    expect(await waits(second, behind)).to.include({ reason: 'lane', intent_id: null });
    expect(await waits(first, own)).to.include({ reason: 'lane', intent_id: ahead.headers['intent-id'] });
  });

  it('lets one go on at once while operators pause the other, exits included', async () => {
    const [paused, other] = await sharing(service);
    await paused.post(ORDERS, long);
    await service.db.query(sql.unsafe`select pause_work(${paused.owner}, true, 'op', 'asked')`);
    const held = [
      await paused.post(ORDERS, long, { prefer: 'wait=1' }),
      await paused.post(`${ORDERS}/close`, { pair: 'BTC' }, { prefer: 'wait=1' }),
    ];

    const closed = await other.post(`${ORDERS}/close`, { pair: 'BTC' }, { prefer: 'wait=8' });

    expect(held.map(({ status }) => status)).to.deep.equal([202, 202]);
    expect(closed.status, JSON.stringify(closed.body)).to.equal(200);
    expect(closed.body).to.include({ status: 'filled' });
    await service.db.query(sql.unsafe`select end_pause(${paused.owner}, 'op', 'it is over')`);
  });
});
