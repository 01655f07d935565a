import { expect } from 'chai';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import { type Caller, caller } from '../support/caller.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const BUY = { pair: 'BTC', side: 'long', size: '0.001', order_type: 'market' };
const PER_MINUTE = 1_200; // 360 at once
const WALLETS = 4;
const AT_ONCE = 3; // requests for each of them

describe('an order at the exchange while another partner cancels without end what it does not have', function () {
  this.timeout(90_000);
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { EXVENUE_BUDGET_PER_MINUTE: String(PER_MINUTE) } });
  });
  after(() => service.stop());

  async function walletsOfOne(): Promise<Caller[]> {
    const { key, post } = await service.partner();
    return Promise.all(
      Array.from({ length: WALLETS }, async () => {
        const private_key = generatePrivateKey();
        const wallet = privateKeyToAddress(private_key).toLowerCase();
        expect((await post('/v1/sessions', { ex_wallet: wallet, private_key })).status).to.equal(200);
        return caller(service.url, key, { 'Trader-ID': wallet });
      }),
    );
  }
  const tokens = () =>
    service.db.oneFirst(sql.type(z.object({ tokens: z.number() }))`
      select tokens from request_budgets where name = ${service.exchange.url}`);

  it('is executed', async () => {
    const other = await service.wallet();
    await other.post(ORDERS, BUY); // the lists of the exchange are read by now
    let isOver = false;
    const flood = (await walletsOfOne()).flatMap((wallet) =>
      Array.from({ length: AT_ONCE }, async (_, line) => {
        for (let n = 1; !isOver; n += 1)
          await wallet.delete(`${ORDERS}/${1_000_000 * (line + 1) + n}`, { prefer: 'wait=2' });
      }),
    );
    await until('the flood to have spent what may be spent at once', async () => (await tokens()) < PER_MINUTE * 0.12);

    const { status, body } = await other.post(ORDERS, BUY);
    isOver = true;
    await Promise.all(flood);

    expect(status, JSON.stringify(body)).to.equal(200);
    expect(await tokens(), 'never overdrawn').to.be.at.least(0);
  });
});
