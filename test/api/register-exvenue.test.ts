import { expect } from 'chai';
import { privateKeyToAddress } from 'viem/accounts';
import type { Caller } from '../support/caller.ts';
import { expectProblem } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import { MILLION, purchasesSuite, REGISTER } from '../support/registration.ts';
import { faultOf } from '../support/stream-schemas.ts';

describe('registerExvenueTrader', () => {
  const { fixture, scriptFault, expectPaidOnce, expectUnpaid } = purchasesSuite();

  it('pays the price once and registers', async () => {
    const buyer = await fixture.service.buyer();

    const reply = await fixture.service.buy(fixture.partner, buyer);

    expect(reply.status).to.equal(200);
    expect(reply.body).to.include({ status: 'registered', ex_address: buyer.wallet, account_size: 25_000 });
    expect(reply.body).to.include({ is_terminal: true, is_success: true });
    expect(reply.body.registration_id).to.equal(reply.headers['intent-id']);
    await expectPaidOnce(buyer, reply.body);
  });

  it('responds with 202 and a poll address when the caller does not wait', async () => {
    const buyer = await fixture.service.buyer();

    const reply = await fixture.service.buy(fixture.partner, buyer, {}, { prefer: 'wait=0' });
    const ended = await fixture.service.status(fixture.partner, buyer.wallet);

    expect(reply.status).to.equal(202);
    expect(reply.headers).to.include({ location: `${REGISTER}/status/${buyer.wallet}`, 'retry-after': '1' });
    expect(reply.body).to.include({ status: 'pending', tx_hash: null, is_terminal: false });
    expect(ended.status).to.equal('registered');
    await expectPaidOnce(buyer, ended);
  });

  it('reports each state by events to the registering partner only', async () => {
    const buyer = await fixture.service.buyer();
    const { registration_id, tx_hash } = (await fixture.service.buy(fixture.partner, buyer)).body;
    const eventsOf = async (partner: Caller) => {
      const { body } = await partner.get('/v1/events?limit=500');
      return body.filter(({ data }: { data: object }) => JSON.stringify(data).includes(registration_id));
    };

    const events = await eventsOf(fixture.partner);

    expect(events.map(({ type }: { type: string }) => type)).to.deep.equal(events.map(() => 'registration.updated'));
    expect(events[0].data).to.include({ status: 'pending', tx_hash: null });
    expect(events.at(-1).data).to.include({ status: 'registered', ex_address: buyer.wallet, tx_hash });
    expect(events.map((event: { type: string }) => faultOf(event.type, event))).to.deep.equal(events.map(() => null));
    expect(await eventsOf(await fixture.service.partner())).to.deep.equal([]);
  });

  it('pays from another address with a proof by the enrolled wallet', async () => {
    const [owner, payer] = await Promise.all([fixture.service.wallet(), fixture.service.buyer()]);
    const buyer = { ...payer, wallet: owner.wallet };

    const reply = await fixture.service.buy(owner, buyer, { payout_wallet: payer.wallet });

    expect(reply.body).to.include({ status: 'registered', ex_address: owner.wallet });
    await expectPaidOnce(buyer, reply.body);
  });

  it('pays nothing when ownership of the wallet cannot be proven', async () => {
    const buyer = {
      ...(await fixture.service.buyer()),
      wallet: privateKeyToAddress(`0x${'7'.repeat(64)}`).toLowerCase(),
    };

    const reply = await fixture.service.buy(fixture.partner, buyer);

    expectProblem(reply, 'V1_WALLET_UNPROVEN', { effect: 'none', reason: 'wallet_unproven' });
    await expectUnpaid(buyer, reply);
  });

  it('returns the first response to a repeat under one key, and pays once', async () => {
    const buyer = await fixture.service.buyer();

    const replies = [];
    for (const _ of [1, 2])
      replies.push(await fixture.service.buy(fixture.partner, buyer, {}, { key: `buy-${buyer.wallet}` }));

    expect(replies.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(replies[1]?.headers['idempotent-replayed']).to.equal('true');
    expect(replies[1]?.body).to.deep.equal(replies[0]?.body);
    await expectPaidOnce(buyer, replies[0]?.body);
  });

  it('rejects a second registration of an address, for every caller', async () => {
    const [buyer, other] = await Promise.all([fixture.service.buyer(), fixture.service.partner()]);
    await fixture.service.buy(fixture.partner, buyer);

    const replies = await Promise.all([fixture.service.buy(fixture.partner, buyer), fixture.service.buy(other, buyer)]);

    for (const reply of replies) expectProblem(reply, 'V1_ALREADY_REGISTERED', { effect: 'none' });
    expect(await fixture.service.paidBy(buyer)).to.have.length(1);
  });

  it('rejects a second one while the first is in progress', async () => {
    const buyer = await fixture.service.buyer();
    scriptFault('verify', 'late', { delayMs: 300 });

    const replies = await Promise.all([1, 2, 3].map(() => fixture.service.buy(fixture.partner, buyer)));

    const rejected = replies.filter(({ status }) => status !== 200);
    expect(rejected).to.have.length(2);
    for (const reply of rejected) expectProblem(reply, 'V1_REGISTRATION_UNDER_WAY', { effect: 'none' });
    expect(await fixture.service.paidBy(buyer)).to.have.length(1);
  });

  it('registers again after a failure that cost nothing', async () => {
    const buyer = await fixture.service.buyer(0n);
    const first = await fixture.service.buy(fixture.partner, buyer);
    await fixture.service.chain.mint(buyer.payer, MILLION);

    const second = await fixture.service.buy(fixture.partner, buyer);

    expectProblem(first, 'V1_PAYMENT_REFUSED', { reason: 'insufficient_funds', effect: 'none' });
    await expectPaidOnce(buyer, second.body);
  });

  it('rejects an invalid key without repeating it', async () => {
    const buyer = await fixture.service.buyer();

    const reply = await fixture.service.buy(fixture.partner, buyer, { private_key: `0x${'0'.repeat(64)}` });

    expectProblem(reply, 'V1_KEY_UNUSABLE', { effect: 'none' });
    expect(JSON.stringify(reply.body)).not.to.include('0'.repeat(64));
  });

  const findInconsistency = [
    ['V1_MINER_UNKNOWN', { miner_slug: 'nobody' }],
    ['V1_ACCOUNT_SIZE_UNKNOWN', { account_size: 777 }],
    ['V1_PAYMENT_REFUSED', { email: 'refused@example.com' }],
  ] as const;
  for (const [code, more] of findInconsistency) {
    it(`pays nothing: ${code} for ${JSON.stringify(more)}`, async () => {
      const buyer = await fixture.service.buyer();

      const reply = await fixture.service.buy(fixture.partner, buyer, more);

      expectProblem(reply, code, { effect: 'none' });
      await expectUnpaid(buyer, reply);
    });
  }

  it('names the sizes that the miner sells when another is asked for', async () => {
    const reply = await fixture.service.buy(fixture.partner, await fixture.service.buyer(), { account_size: 10_000 });

    expectProblem(reply, 'V1_ACCOUNT_SIZE_UNKNOWN', {
      message: 'The miner does not offer this account size; it offers 5000, 25000, 100000.',
    });
  });

  it('pays nothing when the registrar accepts no more registrations', async () => {
    const buyer = await fixture.service.buyer();
    fixture.service.registrar.faults.add({ kind: 'reject', route: 'POST /api/register', times: 1 });

    const reply = await fixture.service.buy(fixture.partner, buyer);

    expectProblem(reply, 'V1_REGISTRATION_CAP', { effect: 'none', reason: 'cap_reached' });
    await expectUnpaid(buyer, reply);
  });

  for (const state of ['active', 'pending'] as const) {
    it(`pays nothing for an address that has an account by another miner: ${state}`, async () => {
      const buyer = await fixture.service.buyer();
      fixture.service.registrar.setEarlier(buyer.wallet, state);

      const reply = await fixture.service.buy(fixture.partner, buyer);

      expectProblem(reply, 'V1_ALREADY_REGISTERED', { effect: 'none', reason: 'already_registered' });
      await expectUnpaid(buyer, reply);
    });
  }

  it('pays nothing for a wallet without a balance on the exchange', async () => {
    const buyer = await fixture.service.buyer();
    fixture.service.exchange.fund(buyer.wallet, '-100000');

    const reply = await fixture.service.buy(fixture.partner, buyer);

    expectProblem(reply, 'V1_BALANCE_TOO_LOW', { effect: 'none' });
    await expectUnpaid(buyer, reply);
    const { body } = await fixture.partner.get('/v1/events?limit=500');
    const told = body.findLast(({ data }: { data: { ex_address: string } }) => data.ex_address === buyer.wallet);
    expect(told.data, 'why, by event').to.include({ status: 'failed', code: 'V1_BALANCE_TOO_LOW' });
    expect(faultOf(told.type, told)).to.equal(null);
  });

  const away = [
    ['VENUE_UNREADABLE', 'the exchange', () => fixture.service.exchange.faults.add({ kind: 'status_500' })],
    ['V1_REGISTRAR_UNREACHABLE', 'the registrar', () => fixture.service.registrar.faults.add({ kind: 'reset' })],
    [
      'V1_REGISTRAR_UNREACHABLE',
      'the list of accounts',
      () => fixture.service.registrar.faults.add({ kind: 'reset', route: '/api/registration-status' }),
    ],
  ] as const;
  for (const [code, who, fall] of away) {
    it(`pays nothing while ${who} cannot be reached, and ends at its deadline`, async () => {
      const buyer = await fixture.service.buyer();
      fall();

      const reply = await fixture.service.buy(fixture.partner, buyer);

      expectProblem(reply, code, { effect: 'none', retryable: true });
      await expectUnpaid(buyer, reply);
    });
  }

  it('returns no key, and logs none', async () => {
    const buyer = await fixture.service.buyer();

    const reply = await fixture.service.buy(fixture.partner, buyer);

    const data = JSON.stringify([reply.body, reply.headers, fixture.service.log.lines]);
    expect(data).not.to.include(buyer.privateKey.slice(2));
    await until('its task in the log', () =>
      JSON.stringify(fixture.service.log.lines).includes(String(reply.headers['intent-id'])),
    );
  });
});
