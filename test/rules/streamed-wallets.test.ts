import { expect } from 'chai';
import { type Candidate, chooseWallets } from '../../src/venues/exchange/ledger/stream/choose.ts';

const NOW = 1_700_000_000_000;
const wallet = (name: string, rank: number, agoS: number, ...owners: string[]): Candidate => ({
  wallet: name,
  owners: owners.length > 0 ? owners : ['ptn_a'],
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

  describe('of several owners', () => {
    const many = (rank: number) => Array.from({ length: 4 }, (_, n) => wallet(`a${n}`, rank, n, 'ptn_a'));
    const all = ['a0', 'a1', 'a2', 'a3'];

    for (const rank of [1, 3])
      it(`include wallets of each, however many of rank ${rank} one owner has`, () => {
        const candidates = [...many(rank), wallet('b0', rank, 90, 'ptn_b')];

        expect(chosen(candidates, [], 4)).to.deep.equal(['a0', 'a1', 'a2', 'b0']);
        expect(chosen(candidates, all, 4)).to.include('b0');
        const more = [...candidates, wallet('b1', rank, 95, 'ptn_b'), wallet('b2', rank, 99, 'ptn_b')];
        expect(chosen(more, all, 4)).to.deep.equal(['a0', 'a1', 'b0', 'b1']);
      });

    it('stay as they are once each owner has its part', () => {
      const candidates = [...many(1), ...[90, 95, 99].map((agoS, n) => wallet(`b${n}`, 1, agoS, 'ptn_b'))];

      for (const followed of [
        ['a0', 'a1', 'b0', 'b1'],
        ['a2', 'a3', 'b1', 'b2'],
      ])
        expect(chosen(candidates, followed, 4)).to.deep.equal(followed);
    });

    it('are those of the most urgent rank first, whosever they are', () => {
      expect(chosen([...many(1), wallet('b0', 2, 0, 'ptn_b')], all, 4)).to.deep.equal(all);
    });

    it('count for the owner with the fewest followed wallets, if several share a wallet', () => {
      const shared = wallet('shared', 1, 99, 'ptn_a', 'ptn_b');

      expect(chosen([...many(1), shared], [], 4)).to.include('shared');
    });
  });

  it('are fewer if there are no more, and those without possible news leave', () => {
    expect(chosen([wallet('a', 2, 1)], ['gone', 'a'], 10)).to.deep.equal(['a']);
  });
});
