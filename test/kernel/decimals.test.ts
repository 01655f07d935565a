import { expect } from 'chai';
import { ofNumber } from '../../src/kernel/decimals.ts';

describe('numbers as decimals', () => {
  for (const [value, text] of [
    [0.1 + 0.2, '0.3'],
    [1e-7, '0.0000001'],
    [-1.5, '-1.5'],
    [-0, '0'],
    [1e21, '1000000000000000000000'],
    [98_339.3684339573, '98339.3684339573'],
  ] as const) {
    it(`spell ${value} as ${text}`, () => {
      expect(ofNumber(value)).to.equal(text);
    });
  }

  it('rounds to the given places, and throws for an invalid number', () => {
    expect(ofNumber(2 / 3, 4)).to.equal('0.6667');
    expect(() => ofNumber(Number.NaN)).to.throw(TypeError);
    expect(() => ofNumber(Number.POSITIVE_INFINITY)).to.throw(TypeError);
  });
});
