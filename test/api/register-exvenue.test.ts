import { expect } from 'chai';
import { privateKeyToAddress } from 'viem/accounts';
import type { FaultKind } from '../../src/sandbox/faults.ts';
import type { Caller, Reply } from '../support/caller.ts';
import { expectProblem } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import {
  type Buyer,
  MILLION,
  REGISTER,
  type RegistrationService,
  startRegistrationService,
} from '../support/registration.ts';

const PRICE = 119_000_000n;

describe('registerExvenueTrader', () => {
  let service: RegistrationService;
  let partner: Caller;
  before(async () => {
    service = await startRegistrationService();
    partner = await service.partner();
  });
  after(() => service.stop());

  afterEach('no key is left', async () => {
    expect(await service.keys()).to.equal(0);
    service.registrar.faults.clear();
    service.exchange.faults.clear();
  });

  const strikes = (step: string, kind: FaultKind, more: object = {}) =>
    service.registrar.faults.add({ kind, route: `register/${step}`, times: 1, delayMs: 1_000, ...more });

  /** Expects one transfer of the price, and that the registration names it. */
  async function expectPaidOnce(buyer: Buyer, { tx_hash }: { tx_hash: string }): Promise<void> {
    const transfers = await service.paidBy(buyer);
    expect(transfers.map(({ txHash, to, value }) => ({ txHash, to, value }))).to.deep.equal([
      { txHash: tx_hash, to: service.registrar.payTo, value: PRICE },
    ]);
  }

  async function expectUnpaid(buyer: Buyer, reply: Reply): Promise<void> {
    expect(await service.paidBy(buyer)).to.be.empty;
    const { body } = await partner.get(`${REGISTER}/status/${buyer.wallet}`);
    expect(body).to.include({ status: 'failed', tx_hash: null, is_terminal: true, is_success: false });
    expect(body.message).to.equal(reply.body.error.message);
  }

  it('pays the price once and registers', async () => {
    const buyer = await service.buyer();

    const reply = await service.buy(partner, buyer);

    expect(reply.status).to.equal(200);
    expect(reply.body).to.include({ status: 'registered', ex_address: buyer.wallet, account_size: 25_000 });
    expect(reply.body).to.include({ is_terminal: true, is_success: true });
    expect(reply.body.registration_id).to.equal(reply.headers['intent-id']);
    await expectPaidOnce(buyer, reply.body);
  });

  it('answers 202 and where to poll when the caller does not wait', async () => {
    const buyer = await service.buyer();

    const reply = await service.buy(partner, buyer, {}, { prefer: 'wait=0' });
    const ended = await service.status(partner, buyer.wallet);

    expect(reply.status).to.equal(202);
    expect(reply.headers).to.include({ location: `${REGISTER}/status/${buyer.wallet}`, 'retry-after': '1' });
    expect(reply.body).to.include({ status: 'pending', tx_hash: null, is_terminal: false });
    expect(ended.status).to.equal('registered');
    await expectPaidOnce(buyer, ended);
  });

  it('pays from another address with a proof by the enrolled wallet', async () => {
    const [owner, payer] = await Promise.all([service.wallet(), service.buyer()]);
    const buyer = { ...payer, wallet: owner.wallet };

    const reply = await service.buy(owner, buyer, { payout_wallet: payer.wallet });

    expect(reply.body).to.include({ status: 'registered', ex_address: owner.wallet });
    await expectPaidOnce(buyer, reply.body);
  });

  it('pays nothing where the wallet cannot be proven', async () => {
    const buyer = { ...(await service.buyer()), wallet: privateKeyToAddress(`0x${'7'.repeat(64)}`).toLowerCase() };

    const reply = await service.buy(partner, buyer);

    expectProblem(reply, 'V1_WALLET_UNPROVEN', { effect: 'none', reason: 'wallet_unproven' });
    await expectUnpaid(buyer, reply);
  });

  it('gives the first answer to a repeat under one key, and pays once', async () => {
    const buyer = await service.buyer();

    const replies = [];
    for (const _ of [1, 2]) replies.push(await service.buy(partner, buyer, {}, { key: `buy-${buyer.wallet}` }));

    expect(replies.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(replies[1]?.headers['idempotent-replayed']).to.equal('true');
    expect(replies[1]?.body).to.deep.equal(replies[0]?.body);
    await expectPaidOnce(buyer, replies[0]?.body);
  });

  it('refuses a second registration of an address, whoever asks', async () => {
    const [buyer, other] = await Promise.all([service.buyer(), service.partner()]);
    await service.buy(partner, buyer);

    const replies = await Promise.all([service.buy(partner, buyer), service.buy(other, buyer)]);

    for (const reply of replies) expectProblem(reply, 'V1_ALREADY_REGISTERED', { effect: 'none' });
    expect(await service.paidBy(buyer)).to.have.length(1);
  });

  it('refuses a second one while the first is under way', async () => {
    const buyer = await service.buyer();
    strikes('verify', 'late', { delayMs: 300 });

    const replies = await Promise.all([1, 2, 3].map(() => service.buy(partner, buyer)));

    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused).to.have.length(2);
    for (const reply of refused) expectProblem(reply, 'V1_REGISTRATION_UNDER_WAY', { effect: 'none' });
    expect(await service.paidBy(buyer)).to.have.length(1);
  });

  it('registers anew after a failure that cost nothing', async () => {
    const buyer = await service.buyer(0n);
    const first = await service.buy(partner, buyer);
    await service.chain.mint(buyer.payer, MILLION);

    const second = await service.buy(partner, buyer);

    expectProblem(first, 'V1_PAYMENT_REFUSED', { reason: 'insufficient_funds', effect: 'none' });
    await expectPaidOnce(buyer, second.body);
  });

  it('refuses what is no key without saying it', async () => {
    const buyer = await service.buyer();

    const reply = await service.buy(partner, buyer, { private_key: `0x${'0'.repeat(64)}` });

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
      const buyer = await service.buyer();

      const reply = await service.buy(partner, buyer, more);

      expectProblem(reply, code, { effect: 'none' });
      await expectUnpaid(buyer, reply);
    });
  }

  it('pays nothing where the registrar takes no more', async () => {
    const buyer = await service.buyer();
    service.registrar.faults.add({ kind: 'refuse', route: 'POST /api/register', times: 1 });

    const reply = await service.buy(partner, buyer);

    expectProblem(reply, 'V1_REGISTRATION_CAP', { effect: 'none', reason: 'cap_reached' });
    await expectUnpaid(buyer, reply);
  });

  it('pays nothing for a wallet without a balance on the exchange', async () => {
    const buyer = await service.buyer();
    service.exchange.fund(buyer.wallet, '-100000');

    const reply = await service.buy(partner, buyer);

    expectProblem(reply, 'V1_BALANCE_TOO_LOW', { effect: 'none' });
    await expectUnpaid(buyer, reply);
  });

  const away = [
    ['VENUE_UNREADABLE', 'the exchange', () => service.exchange.faults.add({ kind: 'status_500' })],
    ['V1_REGISTRAR_UNREACHABLE', 'the registrar', () => service.registrar.faults.add({ kind: 'reset' })],
  ] as const;
  for (const [code, who, fall] of away) {
    it(`pays nothing while ${who} cannot be reached, and ends at its deadline`, async () => {
      const buyer = await service.buyer();
      fall();

      const reply = await service.buy(partner, buyer);

      expectProblem(reply, code, { effect: 'none', retryable: true });
      await expectUnpaid(buyer, reply);
    });
  }

  const lost = [
    ['verify', 'reset'],
    ['verify', 'status_500'],
    ['settle', 'reset'],
    ['settle', 'status_500'],
  ] as const;
  for (const [step, kind] of lost) {
    it(`sends the same authorization again and pays once: ${step} ${kind}`, async () => {
      const buyer = await service.buyer();
      strikes(step, kind);

      const reply = await service.buy(partner, buyer);

      expect(reply.body).to.include({ status: 'registered' });
      await expectPaidOnce(buyer, reply.body);
    });
  }

  it('takes an answer that comes after its patience', async () => {
    const buyer = await service.buyer();
    strikes('verify', 'late', { delayMs: 1_200 });

    const reply = await service.buy(partner, buyer);
    const ended = await service.status(partner, buyer.wallet);

    expect(reply.status).to.equal(200);
    await expectPaidOnce(buyer, ended);
  });

  it('finds the registration whose answer was lost', async () => {
    const buyer = await service.buyer();
    strikes('answer', 'reset');

    const reply = await service.buy(partner, buyer);

    expect(reply.body).to.include({ status: 'active', is_success: true });
    await expectPaidOnce(buyer, reply.body);
  });

  it('says that the payment is in doubt, and why, while nobody knows', async () => {
    const buyer = await service.buyer();
    strikes('verify', 'status_500', { times: undefined });

    const reply = await service.buy(partner, buyer, {}, { prefer: 'wait=0' });
    const doubted = await service.status(partner, buyer.wallet, ({ message }) =>
      /facilitator is down/.test(`${message}`),
    );
    service.registrar.faults.clear();
    const ended = await service.status(partner, buyer.wallet);

    expect(reply.status).to.equal(202);
    expect(doubted).to.include({ status: 'processing', tx_hash: null, is_terminal: false });
    await expectPaidOnce(buyer, ended);
  });

  it('follows a registration that the miner makes later', async () => {
    const buyer = await service.buyer();

    const reply = await service.buy(partner, buyer, { email: 'pending@example.com' });
    const ended = await service.status(partner, buyer.wallet);

    expect(reply.body).to.include({ status: 'pending', is_terminal: false });
    expect(ended).to.include({ status: 'active', tx_hash: reply.body.tx_hash });
    await expectPaidOnce(buyer, ended);
  });

  const unrecorded = [
    ['record', 'status_500'],
    ['record', 'reset'],
    ['settle', 'accept_then_drop'],
    ['settle', 'late'],
  ] as const;
  for (const [step, kind] of unrecorded) {
    it(`keeps the payment of a registration that is never recorded: ${step} ${kind}`, async () => {
      const buyer = await service.buyer();
      strikes(step, kind, { delayMs: 50 });

      const reply = await service.buy(partner, buyer);
      const ended = await service.status(partner, buyer.wallet);
      const again = await service.buy(partner, buyer);

      expect(reply.status).to.equal(200);
      expect(reply.body).to.include({ status: 'processing', is_terminal: false });
      expect(reply.body.message).to.match(/has not recorded/);
      expect(ended).to.include({ status: 'failed', tx_hash: reply.body.tx_hash, is_terminal: true });
      expect(ended.message).to.match(/never recorded/);
      expectProblem(again, 'V1_REGISTRATION_UNRECORDED', { effect: 'none' });
      await expectPaidOnce(buyer, ended);
    });
  }

  it('proves that nothing was paid once the authorization has run out', async () => {
    const buyer = await service.buyer();
    strikes('verify', 'reset', { times: 20 });

    const reply = await service.buy(partner, buyer);

    expectProblem(reply, 'NOT_CARRIED_OUT', { effect: 'none', retryable: true });
    await expectUnpaid(buyer, reply);
  });

  it('says no key, and logs none', async () => {
    const buyer = await service.buyer();

    const reply = await service.buy(partner, buyer);

    const said = JSON.stringify([reply.body, reply.headers, service.log.lines]);
    expect(said).not.to.include(buyer.privateKey.slice(2));
    await until('its task in the log', () =>
      JSON.stringify(service.log.lines).includes(String(reply.headers['intent-id'])),
    );
  });
});

describe('getExvenueRegistration', () => {
  let service: RegistrationService;
  before(async () => {
    service = await startRegistrationService();
  });
  after(() => service.stop());

  const unknown = {
    status: 'not_found',
    registration_id: null,
    account_size: null,
    tx_hash: null,
    message: null,
    estimated_time: null,
    is_terminal: false,
    is_success: false,
  };

  it('shows a registration to its owner, in any case of letters', async () => {
    const [partner, buyer] = await Promise.all([service.partner(), service.buyer()]);
    const { body: bought } = await service.buy(partner, buyer);

    const reply = await partner.get(`${REGISTER}/status/0x${buyer.wallet.slice(2).toUpperCase()}`);

    expect(reply.status).to.equal(200);
    expect(reply.body).to.deep.equal(bought);
  });

  it('says the same of a foreign address as of an unknown one', async () => {
    const [partner, other, buyer] = await Promise.all([service.partner(), service.partner(), service.buyer()]);
    await service.buy(partner, buyer);
    const nobody = `0x${'9'.repeat(40)}`;

    const replies = await Promise.all(
      [buyer.wallet, nobody].map((wallet) => other.get(`${REGISTER}/status/${wallet}`)),
    );

    expect(replies.map(({ body }) => body)).to.deep.equal([
      { ...unknown, ex_address: buyer.wallet },
      { ...unknown, ex_address: nobody },
    ]);
  });

  for (const malformed of ['0x12', 'nobody', `0x${'g'.repeat(40)}`, `${'a'.repeat(40)}`]) {
    it(`refuses ${malformed}`, async () => {
      const partner = await service.partner();

      expectProblem(await partner.get(`${REGISTER}/status/${malformed}`), 'INVALID_REQUEST');
    });
  }

  it('does not ask the registrar', async () => {
    const [partner, buyer] = await Promise.all([service.partner(), service.buyer()]);
    await service.buy(partner, buyer);
    service.registrar.faults.add({ kind: 'hang' });

    const reply = await partner.get(`${REGISTER}/status/${buyer.wallet}`);
    service.registrar.faults.clear();

    expect(reply.body).to.include({ status: 'registered' });
  });
});
