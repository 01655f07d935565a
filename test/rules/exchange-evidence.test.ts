import { expect } from 'chai';
import { absent, found, type ReadResult, unreadable } from '../../src/kernel/upstream-result.ts';
import type { Exvenue } from '../../src/venues/exchange/adapter/types.ts';
import { findOrder } from '../../src/venues/exchange/orders/evidence.ts';

const SOUGHT = { account: '0x1', cloid: '0x2', coin: 'BTC', sinceMs: 0, expired: true } as const;
const LONG_AGO_MS = 0;
const EXECUTION = { oid: 7, cloid: '0x2', coin: 'BTC', size: '0.6', price: '100' };
const ELSE = { ...EXECUTION, oid: 8, cloid: '0x9', size: '5', price: '90' };
const FILLED = { kind: 'filled', oid: 7, filledSize: '0.6' };

describe('what a record at the exchange of an order of 1 proves', () => {
  for (const { what, state = 'cancelled', size = '0.4', reduceOnly = false, isRecent = false, fills, finds } of [
    { what: 'a part filled, and executed', fills: [EXECUTION], finds: { ...FILLED, averagePrice: '100' } },
    { what: 'a part filled, whose executions are not shown', fills: [], finds: { ...FILLED, averagePrice: null } },
    {
      what: 'a part filled, beside another order',
      fills: [EXECUTION, ELSE],
      finds: { ...FILLED, averagePrice: '100' },
    },
    { what: 'nothing filled', size: '1', fills: [], finds: 'rejected' },
    { what: 'a part gone that may have been cut off, long ago', reduceOnly: true, fills: [], finds: 'rejected' },
    {
      what: 'a part gone that may have been cut off',
      reduceOnly: true,
      isRecent: true,
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
      const statusMs = isRecent ? Date.now() : LONG_AGO_MS;
      const exvenue = {
        orderStatus: async () => found({ order, state, word: state, rejected: null, statusMs }),
        fills: async () => found(fills),
      } as unknown as Exvenue; // as: nothing else is read

      const finding = await findOrder(exvenue, { ...SOUGHT, reduceOnly } as never); // as: its names are short

      if (typeof finds === 'string') expect(finding).to.include({ kind: finds });
      else expect(finding).to.deep.include({ kind: 'accepted', data: finds });
    });
});

describe('an order that the order history at the exchange lacks', () => {
  const SINCE_MS = 1_000_000;
  const RESTING = { oid: 7, cloid: '0x2', coin: 'BTC' };
  const away = unreadable('away');

  for (const { what, expired = true, fills = absent, open = found([]), finds } of [
    { what: 'may not have arrived yet', expired: false, fills: away, open: away, finds: { kind: 'absent' } },
    {
      what: 'was filled, as its own executions show',
      fills: found([ELSE, EXECUTION]),
      finds: { kind: 'accepted', data: { ...FILLED, averagePrice: '100' } },
    },
    {
      what: 'rests, as the open orders show',
      fills: found([ELSE]),
      open: found([{ ...RESTING, oid: 8, cloid: '0x9' }, RESTING]),
      finds: { kind: 'accepted', data: { kind: 'resting', oid: 7 } },
    },
    { what: 'is absent if all that could be read lacks it', fills: found([ELSE]), finds: { kind: 'absent' } },
    { what: 'may be among executions that cannot be read', fills: away, finds: { kind: 'unknown', why: 'away' } },
    { what: 'may be among open orders that cannot be read', open: away, finds: { kind: 'unknown', why: 'away' } },
  ] as { what: string; expired?: boolean; fills?: ReadResult<unknown>; open?: ReadResult<unknown>; finds: object }[])
    it(what, async () => {
      let fromMs: number | undefined;
      const exvenue = {
        orderStatus: async () => absent,
        fills: async (_: unknown, since: { fromMs: number }) => {
          fromMs = since.fromMs;
          return fills;
        },
        openOrderNames: async () => open,
      } as unknown as Exvenue; // as: nothing else is read

      const finding = await findOrder(exvenue, { ...SOUGHT, sinceMs: SINCE_MS, expired } as never); // as: its names are short

      expect(finding).to.deep.equal(finds);
      if (expired) expect(fromMs, 'by a clock that may be ahead').to.equal(SINCE_MS - 60_000);
    });
});
