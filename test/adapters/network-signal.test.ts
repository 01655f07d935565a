import { expect } from 'chai';
import nock from 'nock';
import { netvenue } from '../../src/venues/network/adapter/index.ts';
import type { Signal } from '../../src/venues/network/adapter/signal-types.ts';
import { wholeOrder } from '../../src/venues/network/orders/place.ts';
import type { Terms } from '../../src/venues/network/orders/rules.ts';
import { alone } from '../support/alone.ts';

const venue = netvenue({
  minerUrl: 'http://miner.test',
  minerKey: 'miner-key',
  validatorUrl: 'http://miner.test',
  validatorKey: 'validator-key',
  entityHotkey: '5Entity',
});

/** Every member that the miner knows, with a value of its own. */
const everything: Required<Signal> = {
  order_uuid: '0190a1b2-0000-7000-8000-000000000001',
  subaccount_id: 3,
  execution_type: 'STOP_LIMIT',
  trade_pair: 'BTCUSDC',
  order_type: 'LONG',
  leverage: 0.1,
  value: 2,
  quantity: 3,
  limit_price: 4,
  stop_price: 5,
  stop_condition: 'GTE',
  stop_loss: 6,
  take_profit: 7,
  trailing_stop: { trailing_percent: 0.5 },
  bracket_orders: [{ stop_loss: 8, take_profit: 9, trailing_value: 10, leverage: 11 }],
};

describe('the signal on the wire', () => {
  alone();

  async function sentFor(signal: Signal): Promise<unknown> {
    let sent: unknown;
    nock('http://miner.test')
      .post('/api/submit-order', (body) => {
        sent = body;
        return true;
      })
      .reply(200, { success: true });
    await venue.submit(signal);
    return sent;
  }

  it('has every member that the miner knows', async () => {
    expect(await sentFor(everything)).to.deep.equal(everything);
  });

  it('has no other member, at any depth', async () => {
    const more = {
      ...everything,
      added_to_the_contract: 1,
      trailing_stop: { trailing_percent: 0.5, added: 1 },
      bracket_orders: [{ stop_loss: 8, added: 1 }],
    };

    expect(await sentFor(more)).to.deep.equal({ ...everything, bracket_orders: [{ stop_loss: 8 }] });
  });

  it('takes from the terms of an order what is listed, and nothing else', () => {
    const terms = { trade_pair: 'BTCUSDC', order_type: 'LONG', execution_type: 'MARKET', leverage: 1, added: 1 };

    expect(wholeOrder(terms as unknown as Terms)).to.deep.equal({
      trade_pair: 'BTCUSDC',
      order_type: 'LONG',
      leverage: 1,
    });
  });
});
