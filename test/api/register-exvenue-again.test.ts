import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { expectProblem } from '../support/problem.ts';
import { type Buyer, purchasesSuite } from '../support/registration.ts';

const PAST_GRACE_MS = 1_000;

describe('registerExvenueTrader, for an address that was registered before', () => {
  const { fixture } = purchasesSuite();

  /** A buyer whose registration is older than the registrar's late readings. */
  async function registered(): Promise<Buyer> {
    const buyer = await fixture.service.buyer();
    await fixture.service.buy(fixture.partner, buyer);
    await pause(PAST_GRACE_MS);
    return buyer;
  }

  const rowsOf = ({ wallet }: Buyer) =>
    fixture.service.db.anyFirst(sql.type(z.object({ status: z.string() }))`
      select r.status from registrations r where r.ex_address = ${wallet} order by r.created_at`);

  const ends = [
    ['failed', 'eliminated'],
    ['eliminated', 'eliminated'],
    ['deregistered', 'deregistered'],
    ['inactive', 'deregistered'],
  ] as const;
  for (const [how, recorded] of ends) {
    it(`buys a new account once the earlier one is ${how}`, async () => {
      const buyer = await registered();
      fixture.service.registrar.setEarlier(buyer.wallet, how);

      const reply = await fixture.service.buy(fixture.partner, buyer);

      expect(reply.status).to.equal(200);
      expect(reply.body).to.include({ registration_id: reply.headers['intent-id'], is_success: true });
      expect(await fixture.service.status(fixture.partner, buyer.wallet)).to.deep.equal(reply.body);
      expect(await fixture.service.paidBy(buyer)).to.have.length(2);
      expect(await rowsOf(buyer)).to.deep.equal([recorded, 'registered']);
    });
  }

  it('tells the end of the earlier one as an event', async () => {
    const buyer = await registered();
    fixture.service.registrar.setEarlier(buyer.wallet, 'eliminated');
    await fixture.service.buy(fixture.partner, buyer);

    const { body } = await fixture.partner.get('/v1/events?limit=500');

    const told = body.filter(({ data }: { data: { ex_address?: string } }) => data.ex_address === buyer.wallet);
    expect(told.map(({ data }: { data: { status: string } }) => data.status)).to.include('eliminated');
  });

  it('buys one new account, however many ask for it at once', async () => {
    const buyer = await registered();
    fixture.service.registrar.setEarlier(buyer.wallet, 'eliminated');

    const replies = await Promise.all([1, 2, 3].map(() => fixture.service.buy(fixture.partner, buyer)));

    expect(replies.filter(({ status }) => status === 200)).to.have.length(1);
    expect(await fixture.service.paidBy(buyer)).to.have.length(2);
  });

  it('buys nothing while the account lives', async () => {
    const buyer = await registered();

    expectProblem(await fixture.service.buy(fixture.partner, buyer), 'V1_ALREADY_REGISTERED', { effect: 'none' });
    expect(await fixture.service.paidBy(buyer)).to.have.length(1);
  });

  it('buys nothing while the registrar may still report an earlier account', async () => {
    const buyer = await registered();
    fixture.service.registrar.setEarlier(buyer.wallet, 'eliminated');
    await fixture.service.buy(fixture.partner, buyer);
    fixture.service.registrar.setEarlier(buyer.wallet, 'eliminated');

    const reply = await fixture.service.buy(fixture.partner, buyer);

    expectProblem(reply, 'V1_ALREADY_REGISTERED', { effect: 'none' });
    expect(await fixture.service.paidBy(buyer)).to.have.length(2);
  });

  it('buys nothing, and says why, while the registrar does not say whether it has ended', async () => {
    const buyer = await registered();
    fixture.service.registrar.setEarlier(buyer.wallet, 'eliminated');
    fixture.service.registrar.faults.add({ kind: 'reset', times: 1 });

    const away = await fixture.service.buy(fixture.partner, buyer, {}, { key: `again-${buyer.wallet}` });
    const back = await fixture.service.buy(fixture.partner, buyer, {}, { key: `again-${buyer.wallet}` });

    expectProblem(away, 'V1_REGISTRAR_UNREACHABLE', { effect: 'none', retryable: true });
    expect(back.status).to.equal(200);
    expect(await rowsOf(buyer)).to.deep.equal(['eliminated', 'registered']);
  });
});
