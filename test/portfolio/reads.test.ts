import { expect } from 'chai';
import type { WalletAddress } from '../../src/kernel/ids.ts';
import { found } from '../../src/kernel/upstream-result.ts';
import type { Exvenue } from '../../src/venues/exchange/adapter/types.ts';
import { venueReads } from '../../src/venues/reads.ts';

const ONE = `0x${'1'.repeat(40)}` as WalletAddress;
const OTHER = `0x${'2'.repeat(40)}` as WalletAddress;

describe('cached reads of the exchange', () => {
  /** The reads, and what was read of the exchange. */
  function opened() {
    const read: string[] = [];
    const reading =
      (what: string) =>
      async (...about: unknown[]) => {
        read.push([what, ...about.map((each) => JSON.stringify(each))].join(' '));
        return found([]);
      };
    const exvenue = {
      fills: reading('fills'),
      openOrders: reading('open orders'),
      orderStatus: reading('order'),
      leverage: reading('leverage'),
    } as unknown as Exvenue; // as: nothing else is read
    return { reads: venueReads({} as never, exvenue, 1_000), read }; // as: the network is not read
  }

  it('of executions are of one wallet and one span of time', async () => {
    const { reads, read } = opened();
    const spans = [
      { wallet: ONE, fromMs: 1, toMs: 5 },
      { wallet: ONE, fromMs: 1, toMs: 6 },
      { wallet: ONE, fromMs: 1, toMs: null },
      { wallet: ONE, fromMs: 2, toMs: 5 },
      { wallet: OTHER, fromMs: 1, toMs: 5 },
    ];

    for (const span of [...spans, ...spans]) await reads.fills(span);

    expect(new Set(read).size).to.equal(spans.length);
    expect(read).to.have.length(spans.length);
  });

  it('begin anew for a wallet that has traded, and for no other', async () => {
    const { reads, read } = opened();
    const readAll = async () => {
      for (const wallet of [ONE, OTHER]) {
        await reads.fills({ wallet, fromMs: 1, toMs: null });
        await reads.exchangeOrders(wallet);
        await reads.exchangeOrder(wallet, 7);
        await reads.exchangeLeverage(wallet, 'BTC');
      }
    };
    await readAll();
    const before = read.splice(0);

    reads.forgetTrader(ONE);
    await readAll();

    expect(read).to.deep.equal(before.filter((each) => each.includes(ONE)));
    expect(read).to.have.length(4);
  });
});
