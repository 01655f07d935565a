import { expect } from 'chai';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Caller } from '../support/caller.ts';
import { limit } from '../support/orders.ts';
import { linkedWallet, move } from '../support/portfolio.ts';
import { expectProblem } from '../support/problem.ts';
import { ENTITY, startService, type TestService } from '../support/service.ts';

const REGISTER = '/v1/register/netvenue';
const long = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
/** Reads by Trader-ID that return data of the network if it knows the wallet. */
const NETWORK_READS = [
  '/v1/balance',
  '/v1/balance/limits',
  '/v1/rules',
  '/v1/rules/pairs',
  '/v1/payouts',
  '/v1/payouts/pending',
];

const newAddress = () => privateKeyToAccount(generatePrivateKey()).address;

describe('a wallet that another partner registered', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const as = (caller: Caller, wallet: string) => ({
    get: (path: string) => caller.get(path, { headers: { 'Trader-ID': wallet } }),
    post: (path: string, body: unknown) => caller.post(path, body, { headers: { 'Trader-ID': wallet } }),
  });
  const newWallet = () => privateKeyToAccount(generatePrivateKey());

  it('shows another partner what the exchange shows anyone, and nothing of the network', async () => {
    const owner = await linkedWallet(service);
    await move(service, owner.traderId, {
      settlements: [{ startMs: 0, endMs: 1_000, payoutUsd: 321.5 }],
      elimination: 'LIQUIDATED',
    });
    const ofOwner = (await owner.get('/v1/balance')).body;
    const outsider = as(await service.partner(), owner.wallet);
    const nobodys = as(await service.partner(), newWallet().address.toLowerCase());

    expect(ofOwner).to.include({ status: 'breached', subaccount_id: Number(owner.traderId) });
    for (const path of NETWORK_READS) {
      const { status, body } = await outsider.get(path);
      const unknown = await nobodys.get(path);
      const text = JSON.stringify(body);
      expect(status, path).to.equal(unknown.status);
      for (const secret of [ofOwner.subaccount_uuid, ofOwner.synthetic_hotkey, 'breached', '321.5', 'LIQUIDATED'])
        expect(text, path).not.to.include(String(secret));
    }
    expectProblem(await outsider.get('/v1/payouts'), 'V1_TRADER_UNKNOWN');
    expect((await outsider.get('/v1/balance')).body).to.include({ status: 'active', funded_account_size: 0 });
    expect((await outsider.post('/v1/rules/validate', { ...long, venue: 'exvenue' })).body).to.deep.equal({
      valid: true,
      violations: [],
    });
  });

  it('is one of several: each of a partner’s own wallets shows its own subaccount', async () => {
    const owner = await linkedWallet(service);
    const second = newWallet().address.toLowerCase();
    await owner.post(REGISTER, { ex_address: second });

    const [first, next] = [await owner.get('/v1/balance'), await as(owner, second).get('/v1/balance')];

    expect(first.body.subaccount_id).to.equal(Number(owner.traderId));
    expect(next.body.subaccount_id).to.be.above(Number(owner.traderId));
  });

  it('and bought at the registrar is nothing to others, nor makes their own wallets known', async () => {
    const [owner, other] = [await service.wallet(), await service.wallet()];
    await service.db.query(sql.unsafe`
      insert into registrations (id, owner, ex_address, miner_slug, account_size, payer, status)
      select gen_random_uuid(), e.owner, e.ex_wallet, 'm', 5000, e.ex_wallet, 'registered'
      from enrollments e
      where e.ex_wallet = ${owner.wallet}`);
    const payouts = async (caller: Caller, wallet: string) =>
      (await as(caller, wallet).get('/v1/payouts')).body.error?.code;

    expect(await payouts(owner, owner.wallet)).to.not.equal('V1_TRADER_UNKNOWN');
    for (const [caller, wallet] of [
      [owner, other.wallet],
      [other, owner.wallet],
      [other, other.wallet],
    ] as const)
      expect(await payouts(caller, wallet)).to.equal('V1_TRADER_UNKNOWN');
  });

  it('shows another partner its orders as the exchange does, without what the owner’s service recorded', async () => {
    const owner = await service.wallet();
    const terms = { ...long, order_type: 'limit', price: '50000', take_profit: '190000' };
    const placed = await owner.post('/v1/orders/exvenue', terms);
    const list = async (caller: Caller) => (await as(caller, owner.wallet).get('/v1/orders/exvenue')).body;
    const orderIn = (orders: Record<string, unknown>[]) =>
      orders.find((order) => order.ex_order_id === placed.body.ex_order_id);

    expect(orderIn(await list(owner))).to.include({ trigger_status: 'pending_parent_fill', take_profit: '190000' });
    const shown = orderIn(await list(await service.partner()));
    expect(shown?.trigger_status).to.equal('not_requested');
    expect(JSON.stringify(shown)).to.not.include('190000');
  });

  it('whose subaccount operators moved to another partner takes no earlier order along', async () => {
    const [from, to] = [await service.trader(), await service.trader()];
    const rests = limit({ trade_pair: 'ETHUSDC', limit_price: 1_000 });
    const { order_uuid } = (await from.post('/v1/orders/netvenue', rests)).body;
    await service.db.query(sql.unsafe`
      update subaccounts s set owner = t.owner from subaccounts t
      where s.subaccount_id = ${Number(from.traderId)} and t.subaccount_id = ${Number(to.traderId)}`);
    const taken = as(to, from.traderId);
    const order = `/v1/orders/netvenue/${order_uuid}`;

    const resting = await taken.post('/v1/orders/netvenue', rests);
    expect(resting.body.status, JSON.stringify(resting.body)).to.equal('accepted');
    expectProblem(await taken.get(order), 'V1_ORDER_UNKNOWN');
    const cancelled = await to.delete(`${order}?trade_pair=ETHUSDC`, { headers: { 'Trader-ID': from.traderId } });
    const edited = await taken.post(`${order}/edit`, { trade_pair: 'ETHUSDC', limit_price: 1_001 });
    for (const reply of [cancelled, edited]) expectProblem(reply, 'V1_ORDER_UNKNOWN', { effect: 'none' });
    expect((await from.get(order)).body.order_uuid).to.equal(order_uuid); // who gave it still reads it
  });

  it('cannot be used to have its owner’s orders rejected', async () => {
    const owner = await service.wallet();
    const attacker = await service.partner();
    const link = await attacker.post(REGISTER, { ex_address: owner.wallet });
    expect(link.status).to.equal(200);
    await move(service, String(link.body.subaccount.subaccount_id), { elimination: 'LIQUIDATED' });

    const order = await owner.post('/v1/orders/exvenue', long);
    const balance = await owner.get('/v1/balance');

    expect(order.status, JSON.stringify(order.body)).to.equal(200);
    expect(balance.body).to.include({ status: 'active', subaccount_id: null, payout_wallet_address: null });
    expect((await as(attacker, owner.wallet).get('/v1/balance')).body).to.include({ status: 'breached' });
  });

  it('is not the account that its owner has bought at the registrar', async () => {
    const [owner, other] = [await service.wallet(), await service.partner()];
    await service.db.query(sql.unsafe`
      insert into registrations (id, owner, ex_address, miner_slug, account_size, payer, status)
      values (gen_random_uuid(), ${owner.owner}, ${owner.wallet}, 'm', 5000, ${owner.wallet}, 'registered')`);
    const link = await other.post(REGISTER, { ex_address: owner.wallet });
    await move(service, String(link.body.subaccount.subaccount_id), {
      settlements: [{ startMs: 0, endMs: 1_000, payoutUsd: 321.5 }],
      elimination: 'LIQUIDATED',
    });

    const order = await owner.post('/v1/orders/exvenue', long);
    const seen = await Promise.all(NETWORK_READS.map(async (path) => (await owner.get(path)).body));

    expect(order.status, JSON.stringify(order.body)).to.equal(200);
    for (const secret of ['breached', '321.5', 'LIQUIDATED', `${ENTITY}_`])
      expect(JSON.stringify(seen)).not.to.include(secret);
  });

  it('is proven by the signature of a challenge, of this partner and wallet, in time, and by nothing else', async () => {
    const [wallet, other] = [newWallet(), newWallet()];
    const [partner, neighbour] = [await service.partner(), await service.partner()];
    const challenge = async (caller: Caller, address: string) =>
      (await caller.post('/v1/register/challenge', { ex_address: address })).body.message as string;
    const link = async (message: string, signature: string, ex_address: string = wallet.address) =>
      partner.post(REGISTER, { ex_address, ownership_proof: { message, signature } });
    const message = await challenge(partner, wallet.address);
    const signature = await wallet.signMessage({ message });
    const [date = ''] = /\d{4}-\S+Z/.exec(message) ?? [];
    const later = message.replace(date, new Date(Date.now() + 86_400_000).toISOString());
    const past = message.replace(date, new Date(Date.now() - 1_000).toISOString());
    const foreign = await challenge(neighbour, wallet.address);
    const ofOther = await challenge(partner, other.address);

    expect(message).to.include(wallet.address.toLowerCase());
    for (const [text, by, address] of [
      [message, await other.signMessage({ message })],
      [message, `0x${'00'.repeat(65)}`],
      [message, `${signature.slice(0, -4)}${signature.endsWith('1c') ? '001b' : '001c'}`],
      [later, await wallet.signMessage({ message: later })],
      [past, await wallet.signMessage({ message: past })],
      [`${message} `, await wallet.signMessage({ message: `${message} ` })],
      [`x\n${message}`, await wallet.signMessage({ message: `x\n${message}` })],
      ['I own it', await wallet.signMessage({ message: 'I own it' })],
      [foreign, await wallet.signMessage({ message: foreign })],
      [ofOther, await wallet.signMessage({ message: ofOther })],
      [message, signature, other.address],
    ] as const)
      expectProblem(await link(text, by, address), 'V1_WALLET_UNPROVEN', { effect: 'none' });
    expect((await link(message, signature)).status).to.equal(200);
  });
});

describe('with WALLET_LINK_PROOF=required', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { WALLET_LINK_PROOF: 'required' } });
  });
  after(() => service.stop());

  it('only proven wallets are linked: by an enrolled session of the same partner, or by a signature', async () => {
    const owner = await service.wallet();
    const outsider = await service.partner();

    expectProblem(await outsider.post(REGISTER, { ex_address: owner.wallet }), 'V1_WALLET_UNPROVEN', {
      effect: 'none',
    });
    expect((await owner.post(REGISTER, { ex_address: owner.wallet })).status).to.equal(200);
    expect((await outsider.post(REGISTER, { asset_class: 'crypto', account_size: 5_000 })).status).to.equal(200);
  });

  it('a session whose agent has ended proves nothing', async () => {
    const owner = await service.wallet();
    const end = (at: string) =>
      service.db.query(sql.unsafe`
        update signing_keys set valid_until = now() + ${at}::interval where ex_wallet = ${owner.wallet.toLowerCase()}`);
    const link = () => owner.post(REGISTER, { ex_address: owner.wallet, payout_address: newAddress() });

    await end('-1 second');
    expectProblem(await link(), 'V1_WALLET_UNPROVEN', { effect: 'none' });
    await end('1 hour');
    expect((await link()).status).to.equal(200);
  });
});
