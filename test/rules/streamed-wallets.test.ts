import { expect } from 'chai';
import { type Candidate, chooseWallets } from '../../src/venues/exchange/ledger/stream/choose.ts';

const NOW = 1_700_000_000_000;
const wallet = (name: string, rank: number, agoS: number): Candidate => ({
  wallet: name,
  rank,
  sinceMs: NOW - agoS * 1_000,
});
const chosen = (candidates: Candidate[], followed: string[] = [], most = 2) =>
  chooseWallets(candidates, followed, most).toSorted();

describe('the wallets that are followed on the stream of the exchange', () => {
  it('are the most urgent ones, of equal rank those with the newest news', () => {
    const candidates = [wallet('idle', 5, 1), wallet('older', 2, 9), wallet('newer', 2, 3), wallet('naked', 1, 99)];

    expect(chosen(candidates)).to.deep.equal(['naked', 'newer']);
  });

  it('stay while others have no clearly newer news', () => {
    const candidates = [wallet('a', 2, 9), wallet('b', 2, 8), wallet('c', 2, 1)];

    expect(chosen(candidates, ['a', 'b'])).to.deep.equal(['a', 'b']);
    expect(chosen([...candidates, wallet('d', 2, -2)], ['a', 'b'])).to.deep.equal(['b', 'd']);
  });

  it('give way to a more urgent one at once, the least urgent first', () => {
    const candidates = [wallet('a', 4, 1), wallet('b', 2, 60), wallet('naked', 1, 90)];

    expect(chosen(candidates, ['a', 'b'])).to.deep.equal(['b', 'naked']);
  });

  it('do not give way while positions may be without exits', () => {
    const candidates = [wallet('a', 1, 90), wallet('b', 1, 60), wallet('c', 1, 0)];

    expect(chosen(candidates, ['a', 'b'])).to.deep.equal(['a', 'b']);
  });

  it('are fewer if there are no more, and those that nothing is to be told of leave', () => {
    expect(chosen([wallet('a', 2, 1)], ['gone', 'a'], 10)).to.deep.equal(['a']);
  });
});
