import { expect } from 'chai';
import nock from 'nock';
import type { Action, PostLimits } from '../../src/venues/exchange/adapter/action-types.ts';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import { alone } from '../support/alone.ts';
import { signerOfBody } from '../support/exvenue-signer.ts';

const VENUE = 'http://exchange.test';
const KEY = 'c'.repeat(64);
const CLOID = `0x${'0'.repeat(31)}1`;
const REASON = 'Order could not immediately match against any resting orders. asset=1';

/** A separate venue for every test: a 429 halts it for a while. */
const open = () => {
  const venue = exvenue({ url: `${VENUE}/behind/a/path/`, network: 'mainnet' });
  const signer = venue.signerOf(KEY);
  if (!signer) throw new Error('no key');
  return { venue, signer };
};
const one = { asset: 1, side: 'buy', price: '100', size: '1', reduceOnly: false, timeInForce: 'ioc' } as const;
const placeAction = (count = 1): Action => ({ kind: 'place', orders: Array(count).fill(one), grouping: 'none' });
const cancelAction = (count = 1): Action => ({ kind: 'cancel', orders: Array(count).fill({ asset: 1, oid: 7 }) });
const reply = () => nock(VENUE).post('/behind/a/path/exchange');
const ok = (...statuses: unknown[]) => ({ status: 'ok', response: { type: 'order', data: { statuses } } });
const err = (response: string) => ({ status: 'err', response });
const broken = (code: string) => Object.assign(new Error(`${VENUE} ${KEY}`), { code });

const post = async (action: Action = placeAction(), limits: Partial<PostLimits> = {}) => {
  const { venue, signer } = open();
  return venue.post(await signer.sign(action, { nonce: 1, expiresAfterMs: 2 }), { firstSend: true, ...limits });
};

describe('posting to the exchange', () => {
  alone();

  it('sends exactly the bytes that were signed, once', async () => {
    const { venue, signer } = open();
    const body = await signer.sign(placeAction(), { nonce: 12, expiresAfterMs: 34 });
    let posted = '';
    reply().reply(200, (_, sent) => {
      posted = typeof sent === 'string' ? sent : JSON.stringify(sent);
      return ok({ resting: { oid: 1 } });
    });

    await venue.post(body, { firstSend: true });

    expect(posted).to.equal(body);
    expect(await signerOfBody(posted, 'mainnet')).to.equal(signer.address);
    expect(nock.pendingMocks()).to.deep.equal([]);
  });

  for (const [status, item] of [
    [{ resting: { oid: 543_846_303_874, cloid: CLOID } }, { kind: 'resting', oid: 543_846_303_874, cloid: CLOID }],
    [{ resting: { oid: 7 } }, { kind: 'resting', oid: 7, cloid: null }],
    [
      { filled: { totalSz: '0.50', avgPx: '99.0', oid: 7 } },
      { kind: 'filled', oid: 7, cloid: null, filledSize: '0.5', averagePrice: '99' },
    ],
    ['waitingForFill', { kind: 'waiting_for_fill' }],
    ['waitingForTrigger', { kind: 'waiting_for_trigger' }],
  ] as const) {
    it(`reads ${JSON.stringify(status)}`, async () => {
      reply().reply(200, ok(status));

      expect(await post()).to.deep.equal({ kind: 'accepted', data: { items: [item] } });
    });
  }

  for (const action of [{ kind: 'noop' }, { kind: 'set_leverage', asset: 1, leverage: 3, isCross: true }] as const) {
    it(`accepts a bare ok for ${action.kind}`, async () => {
      reply().reply(200, { status: 'ok', response: { type: 'default' } });

      expect(await post(action)).to.deep.equal({ kind: 'accepted', data: { items: [] } });
    });
  }

  it('keeps the accepted items of a batch next to rejected and unreadable ones', async () => {
    reply().reply(200, ok({ resting: { oid: 1 } }, { error: REASON }, 'a new status', { filled: { oid: 2 } }));

    const response = await post(placeAction(4));

    expect(response).to.have.property('kind', 'accepted');
    const items = response.kind === 'accepted' ? response.data.items : [];
    expect(items.map((item) => (item.kind === 'rejected' ? item.slug : item.kind))).to.deep.equal([
      'resting',
      'no_match',
      'unknown',
      'unknown',
    ]);
  });

  it('keeps rejections that differ per item, and reports a rejection that all items share for the whole batch', async () => {
    reply().reply(200, ok({ error: REASON }, { error: 'Invalid TP/SL price. asset=1' }));
    reply().reply(200, ok({ error: REASON }, { error: REASON }));

    const [apart, together] = [await post(placeAction(2)), await post(placeAction(2))];

    expect(apart).to.have.nested.property('data.items').of.length(2);
    expect(together).to.include({ kind: 'rejected', slug: 'no_match' });
  });

  it('reads a single error for a batch as the rejection of all its items', async () => {
    reply().reply(200, ok({ error: 'Order has zero size.' }));

    expect(await post(placeAction(3))).to.include({ kind: 'rejected', slug: 'invalid_size' });
  });

  for (const [text, slug] of [
    ['Price must be divisible by tick size. asset=1', 'tick_size'],
    ['Order must have minimum value of $10. asset=1', 'below_minimum'],
    ['Order must have minimum value of 10 USDC.', 'below_minimum'],
    ['Insufficient margin to place order. asset=1', 'insufficient_margin'],
    ['Reduce only order would increase position. asset=1', 'reduce_only'],
    ['Post only order would have immediately matched, bbo was 99@101. asset=1', 'post_only_would_match'],
    [REASON, 'no_match'],
    ['Invalid TP/SL price. asset=1', 'bad_trigger_price'],
    ['No liquidity available for market order.', 'no_liquidity'],
    ['Order would increase open interest while open interest is capped', 'open_interest_cap'],
    ['Order rejected due to price more aggressive than oracle while at open interest cap', 'open_interest_cap'],
    ['Order price too far from oracle', 'price_too_far'],
    ['Order price cannot be more than 80% away from the reference price', 'price_too_far'],
    ['Order would cause position to exceed margin tier limit at current leverage', 'position_limit'],
    ['Order has insufficient spot balance to trade', 'insufficient_balance'],
    ['Order has invalid price.', 'invalid_price'],
    ['Order has invalid size.', 'invalid_size'],
    ['Order has zero size.', 'invalid_size'],
    ['Order was never placed, already canceled, or filled. asset=1', 'order_gone'],
    ['an unknown reason', 'rejected_by_venue'],
  ] as const) {
    it(`is rejected as ${slug} by an item: ${text}`, async () => {
      reply().reply(200, ok({ error: text }));

      const response = await post();

      expect(response).to.include({ kind: 'rejected', slug });
      expect(response).to.have.property('message').that.does.not.contain(text.slice(0, 20));
    });
  }

  for (const [text, slug] of [
    [`User or API Wallet 0x${'1'.repeat(40)} does not exist.`, 'key_not_authorized'],
    [`L1 error: User or API Wallet 0x${'1'.repeat(40)} does not exist.`, 'key_not_authorized'],
    [`Must deposit before performing actions. User: 0x${'1'.repeat(40)}`, 'not_deposited'],
    ['Invalid nonce: duplicate nonce 1700000000000', 'duplicate_nonce'],
    ['Invalid nonce: 1 is too old', 'invalid_nonce'],
    ['Too many cumulative requests sent (10002 > 10001) for cumulative volume traded $1.00.', 'action_budget'],
    ['Signed action over weight limit of 200.', 'over_weight'],
    ['Cannot modify canceled or filled order', 'order_gone'],
    ['Only post-only orders allowed immediately after a network upgrade', 'post_only_period'],
    [`Vault not registered: 0x${'1'.repeat(40)}`, 'vault_unknown'],
    ['Order has invalid price.', 'invalid_price'],
    ['Something new', 'rejected_by_venue'],
  ] as const) {
    it(`is rejected as ${slug} as a whole: ${text}; a repeat is in doubt`, async () => {
      reply().times(2).reply(200, err(text));

      expect(await post()).to.include({ kind: 'rejected', slug });
      expect(await post(placeAction(), { firstSend: false })).to.deep.equal({
        kind: 'unknown',
        why: `a repeat was rejected: ${slug}`,
      });
    });
  }

  it('is unsent when the bytes had expired, and in doubt when that is said of a repeat', async () => {
    reply().times(2).reply(200, err('Action expired at 1700000000000'));

    expect(await post()).to.deep.equal({ kind: 'unreachable', why: 'EXPIRED' });
    expect(await post(placeAction(), { firstSend: false })).to.include({ kind: 'unknown' });
  });

  it('is rejected by 422, and its text is not passed on', async () => {
    const text = 'Failed to deserialize the JSON body into the target type';
    reply().reply(422, text, { 'content-type': 'text/plain' });

    expect(await post()).to.include({ kind: 'rejected', slug: 'bad_request' });
  });

  for (const [what, body, headers, retryAfterS] of [
    ['plain text', 'Too Many Requests', {}, 10],
    ['null', 'null', { 'content-type': 'application/json' }, 10],
    ['a time to wait', 'null', { 'retry-after': '3' }, 3],
    ['a day to wait', 'null', { 'retry-after': '86400' }, 60],
    ['more than any clock holds', 'null', { 'retry-after': '9'.repeat(300) }, 60],
  ] as const) {
    it(`is rejected by 429 with ${what}: definitely not placed`, async () => {
      reply().reply(429, body, headers);

      expect(await post()).to.include({ kind: 'rejected', slug: 'rate_limited', retryAfterS });
    });
  }

  for (const [what, status, body] of [
    ['500', 500, 'Internal Server Error'],
    ['502 with a page', 502, '<html>Bad Gateway</html>'],
    ['503', 503, ''],
    ['a page with 200', 200, '<html>Please wait</html>'],
    ['a cut-off yes', 200, '{"status":"ok","response":{"type":"order","da'],
    ['an empty 200', 200, ''],
    ['null with 200', 200, 'null'],
    ['a list', 200, '[]'],
    ['403 of something in between', 403, 'Forbidden'],
    ['404 of something in between', 404, 'Not Found'],
    ['a yes without items', 200, JSON.stringify({ status: 'ok', response: { type: 'default' } })],
    ['a yes with no item', 200, JSON.stringify(ok())],
    ['a yes with too many items', 200, JSON.stringify(ok({ resting: { oid: 1 } }, { resting: { oid: 2 } }))],
    ['a yes with an unreadable item', 200, JSON.stringify(ok({ resting: {} }))],
    ['an unknown status', 200, JSON.stringify({ status: 'maybe' })],
    ['trouble of the venue', 200, JSON.stringify(err('Request timed out, try again'))],
    ['trouble before the venue', 200, JSON.stringify(err('failed to reach upstream Hyperliquid API'))],
    ['no reason', 200, JSON.stringify({ status: 'err' })],
  ] as const) {
    it(`is in doubt: ${what}`, async () => {
      reply().reply(status, body);

      expect(await post()).to.include({ kind: 'unknown' });
    });
  }

  it('is in doubt when the response to a batch has fewer items and no rejection', async () => {
    reply().reply(200, ok({ resting: { oid: 1 } }));

    expect(await post(cancelAction(2))).to.include({ kind: 'unknown' });
  });

  it('is unreachable when the connection is refused, and in doubt after a reset', async () => {
    reply().replyWithError(broken('ECONNREFUSED'));
    reply().replyWithError(broken('ECONNRESET'));

    expect(await post()).to.deep.equal({ kind: 'unreachable', why: 'ECONNREFUSED' });
    expect(await post()).to.deep.equal({ kind: 'unknown', why: 'ECONNRESET' });
  });

  it('is in doubt when the venue exceeds its timeout, or the call is aborted', async () => {
    reply().times(2).delay(1_000).reply(200, ok('success'));

    const left = { timeoutMs: 250, notAfter: Date.now() + 5_000 };
    expect(await post(placeAction(), left)).to.include({ kind: 'unknown' });
    expect(await post(placeAction(), { signal: AbortSignal.timeout(250) })).to.include({ kind: 'unknown' });
  });

  it('posts only signed actions, and does not repeat what it received', async () => {
    const failure = await open()
      .venue.post(`{"privateKey":"${KEY}"}`, { firstSend: true })
      .catch((error: Error) => error);

    expect(failure).to.be.instanceOf(TypeError).and.have.property('message').that.does.not.contain(KEY);
  });
});
