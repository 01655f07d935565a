import { expect } from 'chai';
import { sql } from 'slonik';
import { expectProblem } from '../support/problem.ts';
import { purchasesSuite, startRegistrationService } from '../support/registration.ts';

describe('registerExvenueTrader when upstreams fail', () => {
  const { fixture, scriptFault, expectPaidOnce, expectUnpaid } = purchasesSuite();

  const lost = [
    ['verify', 'reset'],
    ['verify', 'status_500'],
    ['settle', 'reset'],
    ['settle', 'status_500'],
  ] as const;
  for (const [step, kind] of lost) {
    it(`sends the same authorization again and pays once: ${step} ${kind}`, async () => {
      const buyer = await fixture.service.buyer();
      scriptFault(step, kind);

      const reply = await fixture.service.buy(fixture.partner, buyer);

      expect(reply.body).to.include({ status: 'registered' });
      await expectPaidOnce(buyer, reply.body);
    });
  }

  it('accepts a response that arrives after the timeout', async () => {
    const buyer = await fixture.service.buyer();
    scriptFault('verify', 'late', { delayMs: 1_200 });

    const reply = await fixture.service.buy(fixture.partner, buyer);
    const ended = await fixture.service.status(fixture.partner, buyer.wallet);

    expect(reply.status).to.equal(200);
    await expectPaidOnce(buyer, ended);
  });

  it('finds the registration whose response was lost', async () => {
    const buyer = await fixture.service.buyer();
    scriptFault('response', 'reset');

    const reply = await fixture.service.buy(fixture.partner, buyer);

    expect(reply.body).to.include({ status: 'active', is_success: true });
    await expectPaidOnce(buyer, reply.body);
  });

  it('reports that the payment is in doubt, and why, while its outcome is unknown', async () => {
    const buyer = await fixture.service.buyer();
    scriptFault('verify', 'status_500', { times: undefined });

    const reply = await fixture.service.buy(fixture.partner, buyer, {}, { prefer: 'wait=0' });
    const inDoubtIntent = await fixture.service.status(fixture.partner, buyer.wallet, ({ message }) =>
      /facilitator is down/.test(`${message}`),
    );
    fixture.service.registrar.faults.clear();
    const ended = await fixture.service.status(fixture.partner, buyer.wallet);

    expect(reply.status).to.equal(202);
    expect(inDoubtIntent).to.include({ status: 'processing', tx_hash: null, is_terminal: false });
    await expectPaidOnce(buyer, ended);
  });

  it('follows a registration that the miner creates later', async () => {
    const buyer = await fixture.service.buyer();

    const reply = await fixture.service.buy(fixture.partner, buyer, { email: 'pending@example.com' });
    const ended = await fixture.service.status(fixture.partner, buyer.wallet);

    expect(reply.body).to.include({ status: 'pending', is_terminal: false });
    expect(ended).to.include({ status: 'active', tx_hash: reply.body.tx_hash });
    await expectPaidOnce(buyer, ended);
  });

  it('follows a recorded registration for as long as its miner is away', async () => {
    const service = await startRegistrationService({ miningMs: 2_500 });
    try {
      const [buyer, partner] = [await service.buyer(), await service.partner()];

      const reply = await service.buy(partner, buyer, { email: 'pending@example.com' });
      const ended = await service.status(partner, buyer.wallet);

      expect(reply.body).to.include({ status: 'pending', is_terminal: false });
      expect(ended).to.include({ status: 'active', tx_hash: reply.body.tx_hash, is_success: true });
    } finally {
      await service.stop();
    }
  });

  it('follows a registration whose response was lost, although nobody could ask for it for a day', async () => {
    const service = await startRegistrationService(
      { miningMs: 4_000 },
      { settings: { REGISTRATION_GRACE_MS: '60000' } },
    );
    try {
      const [buyer, partner] = [await service.buyer(), await service.partner()];
      service.registrar.faults.add({ kind: 'reset', route: 'register/response', times: 1 });

      const reply = await service.buy(partner, buyer, { email: 'pending@example.com' });
      await service.db.query(sql.unsafe`
        update registrations
        set paid_at = paid_at - interval '1 day', absent_since = absent_since - interval '1 day', absent_at = absent_at - interval '1 day'`);
      const ended = await service.status(partner, buyer.wallet);

      expect(reply.body).to.include({ status: 'processing', is_terminal: false });
      expect(ended).to.include({ status: 'active', tx_hash: reply.body.tx_hash, is_success: true });
    } finally {
      await service.stop();
    }
  });

  for (const how of ['failed', 'eliminated', 'inactive', 'deregistered'] as const) {
    it(`takes no earlier account of the address, which has ended as ${how}, for the new one`, async () => {
      const [later, never] = [await fixture.service.buyer(), await fixture.service.buyer()];
      for (const { wallet } of [later, never]) fixture.service.registrar.setEarlier(wallet, how);

      const reply = await fixture.service.buy(fixture.partner, later, { email: 'pending@example.com' });
      const ended = await fixture.service.status(fixture.partner, later.wallet);
      scriptFault('record', 'reset');
      await fixture.service.buy(fixture.partner, never);
      const lost = await fixture.service.status(fixture.partner, never.wallet);
      const again = await fixture.service.buy(fixture.partner, never);

      expect(reply.body).to.include({ status: 'pending', is_terminal: false });
      expect(ended).to.include({ status: 'active', tx_hash: reply.body.tx_hash });
      expect(lost).to.include({ status: 'failed', is_terminal: true });
      expectProblem(again, 'V1_REGISTRATION_UNRECORDED', { effect: 'none' });
      await expectPaidOnce(never, lost);
    });
  }

  const unrecorded = [
    ['record', 'status_500'],
    ['record', 'reset'],
    ['settle', 'accept_then_drop'],
    ['settle', 'late'],
  ] as const;
  for (const [step, kind] of unrecorded) {
    it(`stores the payment of a registration that is never recorded: ${step} ${kind}`, async () => {
      const buyer = await fixture.service.buyer();
      scriptFault(step, kind, { delayMs: 50 });

      const reply = await fixture.service.buy(fixture.partner, buyer);
      const ended = await fixture.service.status(fixture.partner, buyer.wallet);
      const again = await fixture.service.buy(fixture.partner, buyer);

      expect(reply.status).to.equal(200);
      expect(reply.body).to.include({ status: 'processing', is_terminal: false });
      expect(reply.body.message).to.match(/has not recorded/);
      expect(ended).to.include({ status: 'failed', tx_hash: reply.body.tx_hash, is_terminal: true });
      expect(ended.message).to.match(/never recorded/);
      expectProblem(again, 'V1_REGISTRATION_UNRECORDED', { effect: 'none' });
      await expectPaidOnce(buyer, ended);
    });
  }

  it('proves that nothing was paid once the authorization has expired', async () => {
    const buyer = await fixture.service.buyer();
    scriptFault('verify', 'reset', { times: 20 });

    const reply = await fixture.service.buy(fixture.partner, buyer);

    expectProblem(reply, 'NOT_CARRIED_OUT', { effect: 'none', retryable: true });
    await expectUnpaid(buyer, reply);
  });
});
