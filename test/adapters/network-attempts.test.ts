import { expect } from 'chai';
import { submitResponse } from '../../src/venues/network/adapter/orders.ts';
import { alone } from '../support/alone.ts';
import { miner, no, orderJson, signal, UUID, venue, yes } from '../support/miner.ts';

const TOO_SOON =
  'Order for trade pair [BTCUSDC] was placed too soon after the previous order. Please wait 3.0 seconds before it.';

/** The miner pauses 5 s between its attempts, and speaks for the last one only. See venues/network.md#retries. */
describe('a response of the miner, by the attempts that may be behind it', () => {
  alone();

  for (const [what, more, kind] of [
    ['no time for a pause', { processing_time: 4.9 }, 'rejected'],
    ['time for a pause', { processing_time: 5.1 }, 'unproven'],
    ['time for two pauses', { processing_time: 10.2 }, 'unproven'],
    ['no time that it measured, soon after the request', { processing_time: undefined }, 'rejected'],
  ] as const)
    it(`a rejection with ${what} is ${kind}`, async () => {
      miner().reply(400, { ...no(TOO_SOON), ...more });

      expect(await venue.submit(signal)).to.include({ kind });
    });

  it('a rejection by an older build, whose time is that of the last attempt, is proven only soon after the request', () => {
    const body = { ...no(''), error_messages: { '5Hot': TOO_SOON }, processing_time: 0.2 };
    const reply = { kind: 'response', status: 400, headers: {}, text: JSON.stringify(body) } as const;

    expect(submitResponse(reply, signal, 4_900)).to.include({ kind: 'rejected' });
    expect(submitResponse(reply, signal, 5_100)).to.include({ kind: 'unproven', attempts: 'several' });
  });

  for (const execution_type of ['LIMIT_CANCEL', 'LIMIT_EDIT'] as const)
    it(`that a target is not there never proves that a ${execution_type} had no effect`, async () => {
      miner().reply(400, no(`No unfilled limit orders found for x (uuid=${UUID})`));

      const result = await venue.submit({ ...signal, execution_type });

      expect(result).to.nested.include({ kind: 'unproven', attempts: 'one', 'said.slug': 'order_not_found' });
    });

  it('an acceptance says how many attempts may have been filled', async () => {
    miner().reply(200, { ...yes(orderJson()), processing_time: 0.4 });
    miner().reply(200, { ...yes(orderJson()), processing_time: 5.4 });

    expect(await venue.submit(signal)).to.have.nested.property('data.attempts', 'one');
    expect(await venue.submit(signal)).to.have.nested.property('data.attempts', 'several');
  });
});
