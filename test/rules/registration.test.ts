import { expect } from 'chai';
import {
  agreedTerms,
  isOver,
  meetsMinimum,
  nextPollMs,
  nonceOf,
  statusOf,
} from '../../src/capabilities/registration/rules.ts';

const terms = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset: '0xAb',
  payTo: '0xEf',
  amount: '119000000',
  maxTimeoutSeconds: 300,
};
const agreed = { network: 'eip155:8453', asset: '0xab', payees: ['0x01', '0xef'], priceUsdc: '119.00', maxUsdc: 1_000 };

describe('rules of registration', () => {
  it('accept the agreed terms, wherever they are in the response', () => {
    expect(agreedTerms([{ ...terms, network: 'solana:1' }, terms], agreed)).to.equal(terms);
    expect(agreedTerms([{ ...terms, amount: '1' }], agreed)).to.include({ amount: '1' });
  });

  const other: [string, object][] = [
    ['another scheme', { scheme: 'upto' }],
    ['another network', { network: 'eip155:1' }],
    ['another token', { asset: '0xcd' }],
    ['another payee', { payTo: '0x02' }],
    ['a cent over the price', { amount: '119010000' }],
    ['nothing', { amount: '0' }],
    ['no time', { maxTimeoutSeconds: 5 }],
  ];
  for (const [what, more] of other) {
    it(`sign nothing for ${what}`, () => {
      expect(agreedTerms([{ ...terms, ...more }], agreed)).to.equal(null);
    });
  }

  it('sign nothing over the limit of this service, nor for an invalid price', () => {
    expect(agreedTerms([terms], { ...agreed, maxUsdc: 100 })).to.equal(null);
    expect(agreedTerms([terms], { ...agreed, priceUsdc: 'free' })).to.equal(null);
  });

  it('sign nothing for anyone where nobody may be paid, and for any payee where none is pinned', () => {
    expect(agreedTerms([terms], { ...agreed, payees: [] })).to.equal(null);
    expect(agreedTerms([terms], { ...agreed, payees: null })).to.equal(terms);
  });

  it('derive one nonce of 32 bytes from one intent', () => {
    expect(nonceOf('a')).to.match(/^0x[0-9a-f]{64}$/);
    expect(nonceOf('a')).to.equal(nonceOf('a'));
    expect(nonceOf('a')).not.to.equal(nonceOf('b'));
  });

  it('demand a minimum balance', () => {
    expect([meetsMinimum('0.01'), meetsMinimum('0.009')]).to.deep.equal([true, false]);
  });

  it('end an authorization after its expiry and the margin, by the time of the chain', () => {
    expect([isOver('100', 110, 10), isOver('100', 111, 10)]).to.deep.equal([false, true]);
  });

  it('poll less and less often', () => {
    expect([nextPollMs(1_000, 0), nextPollMs(1_000, 2), nextPollMs(1_000, 500)]).to.deep.equal([1_000, 1_563, 900_000]);
  });

  it('treat an unknown status as work in progress', () => {
    expect([statusOf('active'), statusOf('sleeping')]).to.deep.equal(['active', 'processing']);
  });
});
