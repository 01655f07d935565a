import { expect } from 'chai';
import { found } from '../../src/kernel/upstream-result.ts';
import type { Exvenue } from '../../src/venues/exchange/adapter/types.ts';
import { findOrder } from '../../src/venues/exchange/orders/evidence.ts';

const SOUGHT = { account: '0x1', cloid: '0x2', coin: 'BTC', sinceMs: 0, expired: true } as const;
const LONG_AGO = 0;
const EXECUTION = { oid: 7, cloid: '0x2', coin: 'BTC', size: '0.6', price: '100' };
const FILLED = { kind: 'filled', oid: 7, filledSize: '0.6' };

describe('what a record at the exchange of an order of 1 proves', () => {
  for (const { what, state = 'cancelled', size = '0.4', reduceOnly = false, statusMs = LONG_AGO, fills, finds } of [
    { what: 'a part filled, and executed', fills: [EXECUTION], finds: { ...FILLED, averagePrice: '100' } },
    { what: 'a part filled, whose executions are not shown', fills: [], finds: { ...FILLED, averagePrice: null } },
    { what: 'nothing filled', size: '1', fills: [], finds: 'rejected' },
    { what: 'a part gone that may have been cut off, long ago', reduceOnly: true, fills: [], finds: 'rejected' },
    {
      what: 'a part gone that may have been cut off',
      reduceOnly: true,
      statusMs: Date.now(),
      fills: [],
      finds: 'unknown',
    },
    {
      what: 'that it was filled, as far as it was not cut off',
      state: 'filled',
      reduceOnly: true,
      fills: [],
      finds: 'unknown',
    },
  ])
    it(`${what}: ${typeof finds === 'string' ? finds : finds.averagePrice}`, async () => {
      const order = { oid: 7, size, originalSize: '1', timeInForce: 'ioc', reduceOnly: false };
      const exvenue = {
        orderStatus: async () => found({ order, state, word: state, rejected: null, statusMs }),
        fills: async () => found(fills),
      } as unknown as Exvenue; // as: nothing else is read

      const finding = await findOrder(exvenue, { ...SOUGHT, reduceOnly } as never); // as: its names are short

      if (typeof finds === 'string') expect(finding).to.include({ kind: finds });
      else expect(finding).to.deep.include({ kind: 'accepted', data: finds });
    });
});
