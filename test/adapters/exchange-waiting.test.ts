import { expect } from 'chai';
import nock from 'nock';
import { epochMs, workingOn } from '../../src/kernel/work.ts';
import type { Action } from '../../src/venues/exchange/adapter/action-types.ts';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import { alone } from '../support/alone.ts';
import { stoppedClock } from '../support/stopped-clock.ts';

const VENUE = 'http://exchange.test';

const one = { asset: 1, side: 'buy', price: '100', size: '1', reduceOnly: false, timeInForce: 'ioc' } as const;
const placeAction = (): Action => ({ kind: 'place', orders: [one], grouping: 'none' });
const cancelAction = (): Action => ({ kind: 'cancel', orders: [{ asset: 1, oid: 7 }] });
const cloidAction = (): Action => ({ kind: 'cancel_by_cloid', orders: [{ asset: 1, cloid: `0x${'7'.repeat(32)}` }] });
const reply = () => nock(VENUE).post('/exchange');
const ok = (...statuses: unknown[]) => ({ status: 'ok', response: { type: 'order', data: { statuses } } });
/** The response to a cancellation of one order, or to one order. */
const done = (_: string, sent: unknown) =>
  ok(/"cancel/.test(JSON.stringify(sent)) ? 'success' : { resting: { oid: 7 } });
const err = (response: string) => ({ status: 'err', response });

describe('waiting for the budget of the exchange', () => {
  alone();
  const { pass, passing } = stoppedClock();

  /** A separate venue for every test: a 429 halts it for a while. */
  const open = (budgetPerMinute?: number, most?: { actions: number; reads: number }) => {
    const { post, signerOf } = exvenue({ url: VENUE, network: 'mainnet', budgetPerMinute, most });
    const signer = signerOf('c'.repeat(64));
    if (!signer) throw new Error('no key');
    return { venue: { post: (...given: Parameters<typeof post>) => passing(post(...given)) }, signer };
  };

  it('continues after a 429 as soon as the venue allows it, within the deadline of the call', async () => {
    const { venue, signer } = open();
    reply().reply(429, 'null', { 'retry-after': '1' });
    reply().reply(200, done);
    const body = await signer.sign(cancelAction(), { nonce: 1 });
    await venue.post(body, { firstSend: true });
    const from = epochMs();

    const hurried = await venue.post(body, { firstSend: true, notAfter: epochMs() + 100 });
    const patient = await venue.post(body, { firstSend: true, notAfter: epochMs() + 3_000 });

    expect(hurried).to.deep.equal({ kind: 'unreachable', why: 'BUDGET' });
    expect(patient).to.include({ kind: 'accepted' });
    expect(epochMs() - from).to.be.within(900, 1_100);
  });

  it('spends nothing on requests that never left: after an outage, orders are sent at once', async () => {
    const { venue, signer } = open(40); // nine orders at once
    reply()
      .times(15)
      .replyWithError(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
    reply().reply(200, ok({ resting: { oid: 1 } }));
    const body = await signer.sign(placeAction(), { nonce: 1 });
    const send = () => venue.post(body, { firstSend: true, notAfter: epochMs() + 200 });

    const results: unknown[] = [];
    for (let n = 0; n < 15; n += 1) results.push(await send());
    const placed = await send();

    expect(results).to.deep.equal(Array(15).fill({ kind: 'unreachable', why: 'ECONNREFUSED' }));
    expect(placed).to.include({ kind: 'accepted' });
  });

  it('counts requests that may have arrived, so that the limit of the exchange is kept', async () => {
    const { venue, signer } = open(40); // nine orders at once
    reply()
      .times(9)
      .replyWithError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    const body = await signer.sign(placeAction(), { nonce: 1 });
    const send = () => venue.post(body, { firstSend: true, notAfter: epochMs() + 200 });

    for (let n = 0; n < 9; n += 1) await send();

    expect(await send()).to.deep.equal({ kind: 'unreachable', why: 'BUDGET' });
  });

  it('holds back the actions of an account whose budget is used up, but not its cancels, nor other accounts', async () => {
    const { venue, signer } = open();
    reply().reply(200, err('Too many cumulative requests sent (2 > 1) for cumulative volume traded $0.'));
    reply().times(3).reply(200, done);
    const send = async (action: Action, account: string) =>
      venue.post(await signer.sign(action, { nonce: 1 }), { firstSend: true, account, notAfter: epochMs() + 60_000 }); // no job waits for it

    const rejected = await send(placeAction(), '0xAB');
    const held = await send(placeAction(), '0xab');
    const others = [
      await send(cancelAction(), '0xab'),
      await send(cloidAction(), '0xab'),
      await send(placeAction(), '0xcd'),
    ];

    expect(rejected).to.include({ kind: 'rejected', slug: 'action_budget', retryAfterS: 10 });
    expect(held).to.deep.equal({ kind: 'unreachable', why: 'ACTION_BUDGET' });
    expect(others.map(({ kind }) => kind)).to.deep.equal(['accepted', 'accepted', 'accepted']);
  });

  it('holds back the cancels of an account whose budget for them is used up, but not its orders', async () => {
    const { venue, signer } = open();
    reply().reply(200, err('Too many cumulative requests sent (2 > 1) for cumulative volume traded $0.'));
    reply().reply(200, done);
    const send = async (action: Action) =>
      venue.post(await signer.sign(action, { nonce: 1 }), {
        ...{ firstSend: true, account: '0xab', notAfter: epochMs() + 200 },
      });

    const results = [await send(cancelAction()), await send(cancelAction()), await send(placeAction())];

    expect(results.map(({ kind }) => kind)).to.deep.equal(['rejected', 'unreachable', 'accepted']);
  });

  const bracket: Action = {
    kind: 'place',
    orders: [one, { ...one, side: 'sell', reduceOnly: true }],
    grouping: 'none',
  };
  for (const [what, action] of [
    ['orders that have exits of their own', bracket],
    ['settings of leverage', { kind: 'set_leverage', asset: 1, leverage: 3, isCross: true }],
  ] as const satisfies [string, Action][])
    it(`keeps a part for exits from entries, also from ${what}`, async () => {
      const { venue, signer } = open(40); // nine entries at once, or twelve exits
      reply().times(10).reply(200, done);
      const send = async (sent: Action, ms = 100) =>
        venue.post(await signer.sign(sent, { nonce: 1 }), { firstSend: true, notAfter: epochMs() + ms });

      const placed: string[] = [];
      for (let n = 0; n < 11; n += 1) placed.push((await send(action)).kind);

      expect(placed.slice(9)).to.deep.equal(['unreachable', 'unreachable']);
      expect(await send(cancelAction(), 800)).to.include({ kind: 'accepted' });
    });

  it('counts a large batch by its weight, so that the limit of the exchange is kept', async () => {
    const { venue, signer } = open(40); // twelve at once
    reply().times(3).reply(200, done);
    const all: Action = { kind: 'cancel', orders: Array(200).fill({ asset: 1, oid: 7 }) }; // a weight of 6
    const body = await signer.sign(all, { nonce: 1 });
    const send = () => venue.post(body, { firstSend: true, notAfter: epochMs() + 100 });

    const [, , third] = [await send(), await send(), await send()];

    expect(third).to.deep.equal({ kind: 'unreachable', why: 'BUDGET' });
  });

  it('holds back a tenant that has had more than its share, and no other', async () => {
    const { venue, signer } = open(400); // 120 at once; a tenant leaves a part of them from the 90th on
    reply().times(100).reply(200, done);
    const body = await signer.sign(placeAction(), { nonce: 1 });
    const send = (tenant: string) =>
      workingOn({ tenant }, () => venue.post(body, { firstSend: true, notAfter: epochMs() + 400 }));

    await Promise.all(Array.from({ length: 90 }, () => send('many')));
    const [many, few] = [await send('many'), await send('few')];

    expect(many).to.deep.equal({ kind: 'unreachable', why: 'BUDGET' });
    expect(few).to.not.include({ why: 'BUDGET' });
  });

  it('does not send what had to wait for others until its deadline', async () => {
    const { venue, signer } = open(undefined, { actions: 1, reads: 1 });
    const responds = Promise.withResolvers<unknown>();
    reply().reply(200, () => responds.promise.then(() => ok({ resting: { oid: 1 } })));
    reply().reply(200, ok({ resting: { oid: 2 } }));
    const body = await signer.sign(placeAction(), { nonce: 1 });

    const first = venue.post(body, { firstSend: true });
    const late = venue.post(body, { firstSend: true, notAfter: epochMs() + 300 });
    await pass(500);
    responds.resolve(null);

    expect(await first).to.include({ kind: 'accepted' });
    expect(await late).to.include({ kind: 'unreachable' });
  });

  it('lets exits through a second after a 429, one at a time, while entries and reads wait for as long as the venue says', async () => {
    const { venue, signer } = open();
    const closing = (): Action => ({ kind: 'place', orders: [{ ...one, reduceOnly: true }], grouping: 'none' });
    reply().reply(429, 'null', { 'retry-after': '10' });
    reply().times(2).reply(200, done);
    const send = async (action: Action) =>
      venue.post(await signer.sign(action, { nonce: 1 }), { firstSend: true, notAfter: epochMs() + 4_000 });
    await send(placeAction());
    const from = epochMs();
    const timed = async (action: Action) => {
      const { kind } = await send(action);
      return { kind, ms: epochMs() - from };
    };

    const [cancelled, closed, placed] = await Promise.all([
      timed(cancelAction()),
      timed(closing()),
      timed(placeAction()),
    ]);

    expect(cancelled).to.include({ kind: 'accepted' });
    expect(cancelled.ms).to.be.within(950, 1_100);
    expect(closed).to.include({ kind: 'accepted' });
    expect(closed.ms).to.be.within(1_900, 2_100);
    expect(placed).to.include({ kind: 'unreachable' });
  });

  it('backs off when an exit meets another 429', async () => {
    const { venue, signer } = open();
    const sentAt: number[] = [];
    nock(VENUE)
      .post('/exchange')
      .times(3)
      .reply(() => {
        sentAt.push(epochMs());
        return [429, 'null', { 'retry-after': '10' }];
      });
    const cancel = async () =>
      venue.post(await signer.sign(cancelAction(), { nonce: 1 }), { firstSend: true, notAfter: epochMs() + 6_000 });

    for (let n = 0; n < 3; n++) await cancel();

    const [first = 0, second = 0, third = 0] = sentAt;
    expect(second - first).to.be.within(950, 1_100);
    expect(third - second).to.be.within(1_900, 2_100);
  });
});
