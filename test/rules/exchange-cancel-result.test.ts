import { expect } from 'chai';
import { rejected } from '../../src/kernel/upstream-result.ts';
import type { ItemResult } from '../../src/venues/exchange/adapter/action-types.ts';
import { cancelResult, STILL_OPEN } from '../../src/venues/exchange/orders/cancel-result.ts';

describe('the result of a cancellation of all orders, of which the exchange does not list one yet', () => {
  const listed = { oid: 1, cloid: null, coin: 'BTC', isListed: true };
  const unlisted = { oid: null, cloid: '0x1', coin: 'BTC', isListed: false };
  const resultOf = (item: ItemResult) => cancelResult([listed, unlisted], [{ kind: 'done' }, item]);

  it('counts that one if it was cancelled, and does not name it if it had ended or never arrived', () => {
    expect(resultOf({ kind: 'done' })).to.include({ status: 'ok', cancelled_count: 2, total_open_orders: 2 });
    expect(resultOf(rejected('order_gone', ''))).to.include({ status: 'ok', total_open_orders: 1, failed_count: 0 });
  });

  for (const item of [STILL_OPEN, rejected('trading_halted', ''), rejected('rejected_by_venue', '')])
    it(`is partial if its cancellation was rejected or never arrived: it may be open (${item.slug})`, () => {
      const { status, message, cancelled_count } = resultOf(item);

      expect({ status, cancelled_count }).to.deep.equal({ status: 'partial', cancelled_count: 1 });
      expect(message).to.match(/^1 of 1 open orders cancelled\. .* may still be open\.$/);
    });
});
