import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Earner, earner, payingApp } from '../../support/earning.ts';
import type { TestApp } from '../../support/identity.ts';
import { type Money, startMoney } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';

const REQUEST = '/v2/payouts/request';
const AMOUNT = { json: { amount_cents: 10_000 } };

/** The network names settlements by a uuid, which it may not have shown when a subaccount was made; ops.attach_account knows none. */
describe('what a funded account has earned whose uuid at the network is not known', function () {
  this.timeout(30_000);
  let service: Money;
  let app: TestApp;
  let trader: Earner;
  before(async () => {
    service = await startMoney();
    app = await payingApp(service);
    trader = await earner(service, app, 500);
  });
  after(() => service.stop());
  beforeEach(() => service.db.query(sql.type(z.object({}))`update subaccounts set subaccount_uuid = null`));

  it('is not reported as zero', async () => {
    expectRejected(await trader.ask('GET', '/v2/payouts/estimate'), 'VENUE_UNREADABLE');
    expectRejected(await trader.ask('POST', REQUEST, AMOUNT), 'VENUE_UNREADABLE', { effect: 'none' });
  });

  const nameAs = ({ account }: Earner, uuid: string) =>
    service.db.query(sql.type(z.object({}))`
      update subaccounts set subaccount_uuid = ${uuid} where subaccount_id = ${account.subaccount_id}`);
  const uuidOf = ({ account }: Earner) =>
    service.db.oneFirst(sql.type(z.object({ subaccount_uuid: z.string() }))`
      select subaccount_uuid from subaccounts where subaccount_id = ${account.subaccount_id}`);

  it('is not what another account has earned, whose settlements the network responds with', async () => {
    const other = await earner(service, app, 900);
    const late = await earner(service, app, 100);
    const [id, own] = [await late.request(10_000), await uuidOf(late)];
    for (const each of [trader, late]) await nameAs(each, await uuidOf(other));

    expect(await other.estimate()).to.equal(90_000);
    expectRejected(await trader.ask('GET', '/v2/payouts/estimate'), 'VENUE_UNREADABLE');
    expectRejected(await trader.ask('POST', REQUEST, AMOUNT), 'VENUE_UNREADABLE', { effect: 'none' });
    await service.db.query(sql.type(z.object({}))`
      select submit_payout(${id}, ${app.appId}, ${late.userId},
        jsonb_build_object('id', gen_random_uuid(), 'deadline_s', 60), 10000)`);
    await sleep(1_500);
    const sent = service.processor.ledger.entries().filter(({ kind }) => kind === 'transfer');
    expect(sent, 'while the worker reads what another has earned').to.deep.equal([]);
    await nameAs(late, own);
    await late.payoutIs(id, 'transferred');
  });

  it('is paid once a sync has shown the uuid', async () => {
    await trader.ask('POST', `/v2/lifecycle/sync/${trader.account.id}`);

    expect(await trader.estimate()).to.equal(50_000);
    const id = await trader.request(10_000);
    expect((await trader.submit(id)).body.status).to.be.oneOf(['submitted', 'transferred']);
  });

  it('does not permanently block a payout that was requested earlier', async () => {
    await trader.ask('POST', `/v2/lifecycle/sync/${trader.account.id}`);
    const id = await trader.request(10_000);
    await service.db.query(sql.type(z.object({}))`update subaccounts set subaccount_uuid = null`);

    expectRejected(await trader.submit(id), 'VENUE_UNREADABLE', { effect: 'none' });
    await trader.ask('POST', `/v2/lifecycle/sync/${trader.account.id}`);
    expect((await trader.submit(id)).status).to.be.oneOf([200, 202]);
  });
});
