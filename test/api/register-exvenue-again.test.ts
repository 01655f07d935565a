import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { expectProblem } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import {
  type Buyer,
  purchasesSuite,
  type RegistrationService,
  startRegistrationService,
} from '../support/registration.ts';

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

  it('reports the end of the earlier one as an event', async () => {
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

describe('registerExvenueTrader, for an address whose earlier purchase turns out paid', () => {
  let service: RegistrationService;
  before(async () => {
    service = await startRegistrationService({}, { settings: { REGISTRATION_DEADLINE_MS: '30000' } });
  });
  after(() => service.stop());

  it('pays nothing for one that waited meanwhile', async () => {
    const [partner, buyer] = await Promise.all([service.partner(), service.buyer()]);
    const refused = await service.buy(partner, buyer, { email: 'refused@example.com' });
    service.registrar.faults.add({ kind: 'reset' });
    const waiting = await service.buy(partner, buyer, {}, { prefer: 'wait=0' });
    const earlier = refused.body.error.intent_id;
    const { header } = await service.db.one(sql.type(z.object({ header: z.string() }))`
      select sent_payload ->> 'header' as header from intents where id = ${earlier}`);
    const { payload } = JSON.parse(Buffer.from(header, 'base64').toString());
    const { value, validAfter, validBefore, ...addresses } = payload.authorization;
    const times = { validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) };
    await service.chain.settle({ ...addresses, ...times, value: BigInt(value), signature: payload.signature });
    await until('the payment', () =>
      service.db.maybeOne(
        sql.type(z.object({}))`select from registrations where id = ${earlier} and tx_hash is not null`,
      ),
    );
    service.registrar.faults.clear();

    const ended = await partner.pollIntent(waiting, 20_000);

    expect(ended).to.include({ state: 'failed', effect: 'none' });
    expect(ended.problem).to.include({ code: 'V1_REGISTRATION_UNRECORDED' });
    expect(await service.paidBy(buyer)).to.have.length(1);
  });
});
