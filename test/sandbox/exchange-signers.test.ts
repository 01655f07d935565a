import { expect } from 'chai';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { calls } from '../../src/sandbox/exchange/control-calls.ts';
import type { Action, OrderTerms } from '../../src/venues/exchange/adapter/action-types.ts';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import { signedBody } from '../../src/venues/exchange/adapter/signing.ts';
import {
  act,
  closeExchange,
  control,
  type Exchange,
  effectsOf,
  foundOf,
  itemsOf,
  newCloid,
  newSigner,
  nextNonce,
  openExchange,
  order,
  place,
} from './exchange.ts';

const DAY_MS = 86_400_000;

const placeAction = (orderTerms: OrderTerms): Action => ({ kind: 'place', orders: [orderTerms], grouping: 'none' });

describe('signers on the sandbox exchange, and their rate limits', () => {
  let exchange: Exchange;

  beforeEach(async () => {
    exchange = await openExchange();
  });

  afterEach(() => closeExchange(exchange));

  const noop = (terms: Parameters<typeof act>[2] = {}) => act(exchange, { kind: 'noop' }, terms);

  it('include the wallet itself', async () => {
    const response = await noop({ signer: newSigner(exchange.venue) });

    expect(response).to.include({ kind: 'rejected', slug: 'key_not_authorized' });
  });

  it('exclude an address without a deposit', async () => {
    const { address } = newSigner(exchange.venue);
    const agent = newSigner(exchange.venue);
    exchange.upstream.approveAgent(address, agent.address);

    expect(await noop({ signer: agent })).to.include({ kind: 'rejected', slug: 'not_deposited' });
  });

  it('exclude a wallet of the other network', async () => {
    const venue = exvenue({ url: exchange.upstream.url, network: 'mainnet' });
    const signer = newSigner(venue);
    exchange.upstream.fund(signer.address, '1000');

    expect(await noop({ signer })).to.include({ kind: 'rejected', slug: 'key_not_authorized' });
  });

  it('include a key approved by the wallet, until it expires or another takes its name', async () => {
    const [agent, next] = [newSigner(exchange.venue), newSigner(exchange.venue)];
    const { upstream, venue, wallet } = exchange;
    const slugs: string[] = [];
    const tryIt = async () => {
      const response = await noop({ signer: agent });
      slugs.push(response.kind === 'rejected' ? response.slug : response.kind);
    };

    await tryIt();
    upstream.approveAgent(wallet.address, agent.address, 'desk');
    await tryIt();
    const listed = foundOf(await venue.agents(wallet.address));
    upstream.approveAgent(wallet.address, agent.address, 'desk', Date.now() - 1);
    await tryIt();
    upstream.approveAgent(wallet.address, agent.address, 'desk');
    upstream.approveAgent(wallet.address, next.address, 'desk');
    await tryIt();

    expect(slugs).to.deep.equal(['key_not_authorized', 'accepted', 'key_not_authorized', 'not_deposited']);
    expect(listed).to.have.length(1);
    expect(listed[0]).to.include({ address: agent.address, name: 'desk' });
  });

  it('trade for the wallet with an agent’s key', async () => {
    const agent = newSigner(exchange.venue);
    await control(exchange, 'agent', { wallet: exchange.wallet.address, agent: agent.address, name: 'desk' });
    const cloid = newCloid();

    await act(
      exchange,
      { kind: 'place', orders: [order({ price: '99000', cloid })], grouping: 'none' },
      { signer: agent },
    );

    expect(foundOf(await exchange.venue.openOrders(exchange.wallet.address))).to.have.length(1);
    expect(foundOf(await exchange.venue.openOrders(agent.address))).to.deep.equal([]);
  });

  it('end 90 days after the control call that approves them, unless it names a time', async () => {
    const agent = newSigner(exchange.venue);

    await control(exchange, 'agent', { wallet: exchange.wallet.address, agent: agent.address, name: 'desk' });
    const [listed] = foundOf(await exchange.venue.agents(exchange.wallet.address));

    expect(Number(listed?.validUntilMs) - Date.now()).to.be.closeTo(90 * DAY_MS, 60_000);
    expect(calls.agent.members['validUntil?'][1]).to.include('90 days');
  });

  for (const [why, action] of [
    ['whose members are in another order', { cancels: [{ a: 1, o: 2 }], type: 'cancel' }],
    ['with a member that is not there in the venue’s eyes', { type: 'noop', more: 1 }],
  ] as const) {
    it(`exclude the signer of an action ${why}`, async () => {
      const account = privateKeyToAccount(generatePrivateKey());
      exchange.upstream.fund(account.address, '1000');
      const right = { type: 'cancel', cancels: [{ a: 1, o: 2 }] };
      const sign = (wire: object) => signedBody({ ...wire }, account, { nonce: nextNonce(), network: 'testnet' });

      expect(await post(await sign(right))).to.include({ slug: 'order_gone' });
      expect(await post(await sign(action))).to.include({ slug: 'key_not_authorized' });
    });
  }

  it('exclude the signer of a body that was changed in transit', async () => {
    const body = await exchange.wallet.sign({ kind: 'noop' }, { nonce: nextNonce() });
    const changed = JSON.stringify({ ...JSON.parse(body), nonce: nextNonce() });

    expect(await post(changed)).to.include({ slug: 'key_not_authorized' });
  });

  it('use a nonce once, in any order', async () => {
    const [early, late] = [nextNonce(), nextNonce()];

    const kinds = [await noop({ nonce: late }), await noop({ nonce: early }), await noop({ nonce: late })];

    expect(kinds.map((response) => (response.kind === 'rejected' ? response.slug : response.kind))).to.deep.equal([
      'accepted',
      'accepted',
      'duplicate_nonce',
    ]);
    expect(effectsOf(exchange, `${exchange.wallet.address}:${late}`)).to.deep.equal(['action']);
  });

  it('execute the same bytes once: a repeat is in doubt', async () => {
    const cloid = newCloid();
    const action = placeAction(order({ timeInForce: 'ioc', cloid }));
    const body = await exchange.wallet.sign(action, { nonce: nextNonce() });

    const first = await exchange.venue.post(body, { firstSend: true });
    const again = await exchange.venue.post(body, { firstSend: false });

    expect(first).to.include({ kind: 'accepted' });
    expect(again).to.deep.equal({ kind: 'unknown', why: 'a repeat was rejected: duplicate_nonce' });
    expect(effectsOf(exchange, cloid)).to.deep.equal(['placed', 'filled']);
  });

  it('cancel a pending action with a noop of its nonce', async () => {
    const nonce = nextNonce();
    const cloid = newCloid();
    const action = placeAction(order({ cloid }));
    const pending = await exchange.wallet.sign(action, { nonce });

    await noop({ nonce });
    const late = await exchange.venue.post(pending, { firstSend: true });

    expect(late).to.include({ kind: 'rejected', slug: 'duplicate_nonce' });
    expect(effectsOf(exchange, cloid)).to.deep.equal([]);
  });

  for (const [why, fromNowMs] of [
    ['two days old', -2 * DAY_MS - 1],
    ['a day ahead', DAY_MS + 60_000],
  ] as const) {
    it(`cannot use a nonce ${why}`, async () => {
      const nonce = Date.now() + fromNowMs;

      expect(await noop({ nonce })).to.include({ kind: 'rejected', slug: 'invalid_nonce' });
    });
  }

  it('have only their 100 highest nonces stored, and cannot use lower ones', async () => {
    const start = Date.now();
    const nonces = Array.from({ length: 101 }, (_, at) => start + at);
    for (const nonce of nonces) await noop({ nonce });

    expect(await noop({ nonce: start })).to.include({ kind: 'rejected', slug: 'invalid_nonce' });
    expect(await noop({ nonce: start + 1 })).to.include({ kind: 'rejected', slug: 'duplicate_nonce' });
  });

  it('are rejected after the expiry of an action: nothing was done', async () => {
    const cloid = newCloid();
    const action = placeAction(order({ cloid }));

    const late = await act(exchange, action, { expiresAfterMs: Date.now() - 1 });
    const early = await act(exchange, action, { expiresAfterMs: Date.now() + 5_000 });

    expect(late).to.deep.equal({ kind: 'unreachable', why: 'EXPIRED' });
    expect(itemsOf(early)).to.have.length(1);
    expect(effectsOf(exchange, cloid)).to.deep.equal(['placed', 'filled']);
  });

  it('are rejected for 201 items, and not for 200', async () => {
    const cancels = (count: number) =>
      act(exchange, { kind: 'cancel', orders: Array.from({ length: count }, (_, oid) => ({ asset: 1, oid })) });

    expect(await cancels(201)).to.include({ kind: 'rejected', slug: 'over_weight' });
    expect(await cancels(200)).to.include({ kind: 'rejected', slug: 'order_gone' });
  });

  it('act for no vault', async () => {
    const body = await exchange.wallet.sign(
      { kind: 'noop' },
      { nonce: nextNonce(), vaultAddress: `0x${'A'.repeat(40)}` },
    );

    expect(await post(body)).to.include({ kind: 'rejected', slug: 'vault_unknown' });
  });

  it('cannot take liquidity while only post-only orders are accepted', async () => {
    await control(exchange, 'post-only', { on: true });

    expect(await place(exchange, {})).to.include({ kind: 'rejected', slug: 'post_only_period' });
    expect(await place(exchange, { timeInForce: 'alo', price: '99000' })).to.include({ kind: 'accepted' });
  });

  const post = (body: string) => exchange.venue.post(body, { firstSend: true });
});

describe('the budget of actions on the sandbox exchange', () => {
  it('allows one action every 10 s once it is used up, and still cancels', async () => {
    const exchange = await openExchange({ actionBudget: 2 });
    const resting = () => place(exchange, { price: '99000' });

    const responses = [await resting(), await resting(), await resting(), await resting()];
    const cancel = await act(exchange, { kind: 'cancel', orders: [{ asset: 1, oid: 5 }] });
    const budget = foundOf(await exchange.venue.actionBudget(exchange.wallet.address));
    await closeExchange(exchange);

    expect(responses.map((response) => (response.kind === 'rejected' ? response.slug : response.kind))).to.deep.equal([
      'accepted',
      'accepted',
      'accepted',
      'action_budget',
    ]);
    expect(responses[3]).to.include({ retryAfterS: 10 });
    expect(cancel).to.include({ slug: 'order_gone' });
    expect(budget).to.deep.equal({ used: 4, cap: 2, surplus: 0, volumeUsd: '0' });
  });
});
