import { expect } from 'chai';
import { decimalAmount } from '../../src/kernel/currencies.ts';

describe('decimalAmount', () => {
  for (const [amount, currency, shown] of [
    [-1_050, 'usd', '-10.50'],
    [5, 'eur', '0.05'],
    [0, 'gbp', '0.00'],
    [-1_050, 'jpy', '-1050'],
    [0, 'krw', '0'],
    [1_050, 'kwd', '1.050'],
    [-7, 'bhd', '-0.007'],
  ] as const)
    it(`shows ${amount} ${currency} as ${shown}`, () => {
      expect(decimalAmount(amount, currency)).to.equal(shown);
    });
});
