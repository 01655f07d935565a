import { expect } from 'chai';
import { alone } from '../support/alone.ts';
import { miner, no, signal, UUID, venue, yes } from '../support/miner.ts';

describe('a signal whose response settles nothing', () => {
  alone();

  for (const text of [
    'Failed to connect to Vanta Network',
    'Failed to connect to Vanta Network: no live prices',
    `Duplicate order UUID: ${UUID}`,
    'Order UUID was already processed',
    'Request timed out',
    'Order with uuid [x] has already been processed. Please try again with a new order.',
    '',
  ]) {
    it(`is in doubt because this is not conclusive: “${text}”`, async () => {
      miner().reply(400, no(text));

      expect(await venue.submit(signal)).to.include({ kind: 'unknown' });
    });
  }

  for (const error_message of ['Session is closed', 'no live prices', '']) {
    it(`is in doubt after an exception of the miner, whatever its text: “${error_message}”`, async () => {
      miner().reply(400, { ...no(error_message), message: `Internal error: ${error_message}` });

      expect(await venue.submit(signal)).to.include({ kind: 'unknown' });
    });
  }

  for (const [what, status, body] of [
    ['500 of the miner', 500, { success: false, order_uuid: UUID, error: 'Internal error' }],
    ['502', 502, '<html>Bad Gateway</html>'],
    ['503', 503, ''],
    ['504', 504, '{}'],
    ['429 of something in between', 429, ''],
    ['404 of something in between', 404, 'not found'],
    ['a page with 200', 200, '<html>Please wait</html>'],
    ['a cut-off yes', 200, '{"success": true, "order_uu'],
    ['a no without a reason', 400, { success: false, order_uuid: UUID, error_messages: {}, message: 'Order failed' }],
    ['an empty 200', 200, ''],
    ['a 200 without success', 200, {}],
    ['a 200 without an order', 200, { success: true }],
    ['a 200 with a rejection', 200, no('no live prices')],
    ['a yes with an error beside it', 200, { ...yes(null), error_message: 'no live prices' }],
    ['a yes with another error beside it', 200, { ...yes(null), error: { code: 'no_live_prices' } }],
    ['a no of a gateway', 400, { error: 'no live prices' }],
    ['a list', 200, []],
    ['a yes with a status of our key', 401, yes(null)],
    ['a yes with another status of our key', 403, yes(null)],
    ['a yes about another order', 200, { ...yes(null), order_uuid: UUID.replace('1', '2') }],
  ] as const) {
    it(`is in doubt: ${what}`, async () => {
      miner().reply(status, body);

      expect(await venue.submit(signal)).to.include({ kind: 'unknown' });
    });
  }

  it('is in doubt by a yes about another order where its name is that of an exit, and not by one about several', async () => {
    const bracket = `${UUID}-bracket-0`;
    const kindOf = async (order_uuid: string, named: string) => {
      miner().reply(200, { ...yes(null), order_uuid: named });
      return (await venue.submit({ ...signal, execution_type: 'LIMIT_EDIT', order_uuid })).kind;
    };
    const several = async (named: string) => {
      miner().reply(200, { ...yes(null), order_uuid: named });
      return (await venue.submit({ ...signal, execution_type: 'LIMIT_CANCEL', order_uuid: `${UUID},${UUID}-limit` }))
        .kind;
    };

    expect([await kindOf(bracket, UUID), await kindOf(bracket, bracket)]).to.deep.equal(['unknown', 'accepted']);
    expect(await several(UUID)).to.equal('accepted');
  });

  for (const [who, body, ended] of [
    ['the miner', { success: false, order_uuid: UUID, error: 'Internal error' }, true],
    ['a gateway, while the miner may still work on it', { message: 'Endpoint request timed out' }, undefined],
  ] as const)
    it(`is over only once the miner has responded: 504 of ${who}`, async () => {
      miner().reply(504, body);

      const response = await venue.submit(signal);

      expect('ended' in response ? response.ended : undefined).to.equal(ended);
    });
});
