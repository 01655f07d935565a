import { expect } from 'chai';
import { privateKeyToAddress } from 'viem/accounts';
import { expectProblem } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import { MILLION, purchasesSuite, REGISTER } from '../support/registration.ts';

describe('registerExvenueTrader', () => {
  const { own, strikes, expectPaidOnce, expectUnpaid } = purchasesSuite();

  it('pays the price once and registers', async () => {
    const buyer = await own.service.buyer();

    const reply = await own.service.buy(own.partner, buyer);

    expect(reply.status).to.equal(200);
    expect(reply.body).to.include({ status: 'registered', ex_address: buyer.wallet, account_size: 25_000 });
    expect(reply.body).to.include({ is_terminal: true, is_success: true });
    expect(reply.body.registration_id).to.equal(reply.headers['intent-id']);
    await expectPaidOnce(buyer, reply.body);
  });

  it('answers 202 and where to poll when the caller does not wait', async () => {
    const buyer = await own.service.buyer();

    const reply = await own.service.buy(own.partner, buyer, {}, { prefer: 'wait=0' });
    const ended = await own.service.status(own.partner, buyer.wallet);

    expect(reply.status).to.equal(202);
    expect(reply.headers).to.include({ location: `${REGISTER}/status/${buyer.wallet}`, 'retry-after': '1' });
    expect(reply.body).to.include({ status: 'pending', tx_hash: null, is_terminal: false });
    expect(ended.status).to.equal('registered');
    await expectPaidOnce(buyer, ended);
  });

  it('pays from another address with a proof by the enrolled wallet', async () => {
    const [owner, payer] = await Promise.all([own.service.wallet(), own.service.buyer()]);
    const buyer = { ...payer, wallet: owner.wallet };

    const reply = await own.service.buy(owner, buyer, { payout_wallet: payer.wallet });

    expect(reply.body).to.include({ status: 'registered', ex_address: owner.wallet });
    await expectPaidOnce(buyer, reply.body);
  });

  it('pays nothing where the wallet cannot be proven', async () => {
    const buyer = { ...(await own.service.buyer()), wallet: privateKeyToAddress(`0x${'7'.repeat(64)}`).toLowerCase() };

    const reply = await own.service.buy(own.partner, buyer);

    expectProblem(reply, 'V1_WALLET_UNPROVEN', { effect: 'none', reason: 'wallet_unproven' });
    await expectUnpaid(buyer, reply);
  });

  it('gives the first answer to a repeat under one key, and pays once', async () => {
    const buyer = await own.service.buyer();

    const replies = [];
    for (const _ of [1, 2]) replies.push(await own.service.buy(own.partner, buyer, {}, { key: `buy-${buyer.wallet}` }));

    expect(replies.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(replies[1]?.headers['idempotent-replayed']).to.equal('true');
    expect(replies[1]?.body).to.deep.equal(replies[0]?.body);
    await expectPaidOnce(buyer, replies[0]?.body);
  });

  it('refuses a second registration of an address, whoever asks', async () => {
    const [buyer, other] = await Promise.all([own.service.buyer(), own.service.partner()]);
    await own.service.buy(own.partner, buyer);

    const replies = await Promise.all([own.service.buy(own.partner, buyer), own.service.buy(other, buyer)]);

    for (const reply of replies) expectProblem(reply, 'V1_ALREADY_REGISTERED', { effect: 'none' });
    expect(await own.service.paidBy(buyer)).to.have.length(1);
  });

  it('refuses a second one while the first is under way', async () => {
    const buyer = await own.service.buyer();
    strikes('verify', 'late', { delayMs: 300 });

    const replies = await Promise.all([1, 2, 3].map(() => own.service.buy(own.partner, buyer)));

    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused).to.have.length(2);
    for (const reply of refused) expectProblem(reply, 'V1_REGISTRATION_UNDER_WAY', { effect: 'none' });
    expect(await own.service.paidBy(buyer)).to.have.length(1);
  });

  it('registers anew after a failure that cost nothing', async () => {
    const buyer = await own.service.buyer(0n);
    const first = await own.service.buy(own.partner, buyer);
    await own.service.chain.mint(buyer.payer, MILLION);

    const second = await own.service.buy(own.partner, buyer);

    expectProblem(first, 'V1_PAYMENT_REFUSED', { reason: 'insufficient_funds', effect: 'none' });
    await expectPaidOnce(buyer, second.body);
  });

  it('refuses what is no key without saying it', async () => {
    const buyer = await own.service.buyer();

    const reply = await own.service.buy(own.partner, buyer, { private_key: `0x${'0'.repeat(64)}` });

    expectProblem(reply, 'V1_KEY_UNUSABLE', { effect: 'none' });
    expect(JSON.stringify(reply.body)).not.to.include('0'.repeat(64));
  });

  const unfit = [
    ['V1_MINER_UNKNOWN', { miner_slug: 'nobody' }],
    ['V1_ACCOUNT_SIZE_UNKNOWN', { account_size: 777 }],
    ['V1_PAYMENT_REFUSED', { email: 'refused@example.com' }],
  ] as const;
  for (const [code, more] of unfit) {
    it(`pays nothing: ${code} for ${JSON.stringify(more)}`, async () => {
      const buyer = await own.service.buyer();

      const reply = await own.service.buy(own.partner, buyer, more);

      expectProblem(reply, code, { effect: 'none' });
      await expectUnpaid(buyer, reply);
    });
  }

  it('pays nothing where the registrar takes no more', async () => {
    const buyer = await own.service.buyer();
    own.service.registrar.faults.add({ kind: 'refuse', route: 'POST /api/register', times: 1 });

    const reply = await own.service.buy(own.partner, buyer);

    expectProblem(reply, 'V1_REGISTRATION_CAP', { effect: 'none', reason: 'cap_reached' });
    await expectUnpaid(buyer, reply);
  });

  it('pays nothing for a wallet without a balance on the exchange', async () => {
    const buyer = await own.service.buyer();
    own.service.exchange.fund(buyer.wallet, '-100000');

    const reply = await own.service.buy(own.partner, buyer);

    expectProblem(reply, 'V1_BALANCE_TOO_LOW', { effect: 'none' });
    await expectUnpaid(buyer, reply);
  });

  const away = [
    ['VENUE_UNREADABLE', 'the exchange', () => own.service.exchange.faults.add({ kind: 'status_500' })],
    ['V1_REGISTRAR_UNREACHABLE', 'the registrar', () => own.service.registrar.faults.add({ kind: 'reset' })],
  ] as const;
  for (const [code, who, fall] of away) {
    it(`pays nothing while ${who} cannot be reached, and ends at its deadline`, async () => {
      const buyer = await own.service.buyer();
      fall();

      const reply = await own.service.buy(own.partner, buyer);

      expectProblem(reply, code, { effect: 'none', retryable: true });
      await expectUnpaid(buyer, reply);
    });
  }

  it('says no key, and logs none', async () => {
    const buyer = await own.service.buyer();

    const reply = await own.service.buy(own.partner, buyer);

    const said = JSON.stringify([reply.body, reply.headers, own.service.log.lines]);
    expect(said).not.to.include(buyer.privateKey.slice(2));
    await until('its task in the log', () =>
      JSON.stringify(own.service.log.lines).includes(String(reply.headers['intent-id'])),
    );
  });
});
