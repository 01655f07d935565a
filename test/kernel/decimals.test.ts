import { expect } from 'chai';
import fc from 'fast-check';
import { ofAmount, ofNumber } from '../../src/kernel/decimals.ts';

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

/** The digits that JavaScript writes for a number, with the point moved by its exponent. */
function writtenOut(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  const point = whole.length + Number(exponent);
  const all = whole + fraction;
  const text = point <= 0 ? `0.${'0'.repeat(-point)}${all}` : all.padEnd(point, '0');
  return point > 0 && point < all.length ? `${all.slice(0, point)}.${all.slice(point)}` : text;
}

describe('amounts of requests', () => {
  it('are the decimal that the number is written as, however small', () => {
    const is = (amount: number) => {
      expect(ofAmount(amount)).to.equal(writtenOut(amount));
    };
    fc.assert(fc.property(fc.double({ min: Number.MIN_VALUE, max: 1e15, noNaN: true }), is));
    [1e-13, 9.9999999999999e-7, 1.234567890123456e-7, 5e-324, 0.3, 1e15].forEach(is);
  });

  it('are the same as a number and as a text', () => {
    for (const text of ['0.00000099999999999999', '0.0000000000001', '12345678.9', '7'])
      expect(ofAmount(Number(text)))
        .to.equal(ofAmount(text))
        .to.equal(text);
    expect(() => ofAmount('1e3')).to.throw(TypeError);
  });
});
