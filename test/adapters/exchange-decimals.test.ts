import { expect } from 'chai';
import fc from 'fast-check';
import {
  absolute,
  canonical,
  compare,
  decimalsOf,
  dividedBy,
  isDecimal,
  magnitudeOf,
  minus,
  negated,
  plus,
  roundedTo,
  times,
} from '../../src/kernel/decimals.ts';
import { holds, positive } from '../support/decimals.ts';

describe('decimals', () => {
  it('are exact where floats are not', () => {
    expect([plus('0.1', '0.2'), times('1.1', '1.1'), minus('0.3', '0.1')]).to.deep.equal(['0.3', '1.21', '0.2']);
    expect(times('123456789012345678901234567890', '0.000000000000000000000000000001')).to.equal(
      '0.12345678901234567890123456789',
    );
  });

  for (const [text, spelled] of [
    ['1.500', '1.5'],
    ['007', '7'],
    ['0.0', '0'],
    ['-0.0', '0'],
    ['-01.10', '-1.1'],
    ['100000000000000000000000', '100000000000000000000000'],
    ['0.00000000001', '0.00000000001'],
  ] as const) {
    it(`spell ${text} as ${spelled}`, () => {
      expect(canonical(text)).to.equal(spelled);
    });
  }

  for (const text of ['', '.', '1.', '.5', '1e5', 'NaN', 'Infinity', '0x10', ' 1', '1,000', '--1', '+1']) {
    it(`are not “${text}”`, () => {
      expect(isDecimal(text)).to.equal(false);
      expect(() => canonical(text)).to.throw(TypeError, 'not a decimal');
    });
  }

  it('are divided with one rounding, towards zero or away from it', () => {
    expect([dividedBy('1', '3', 4, 'down'), dividedBy('1', '3', 4, 'up')]).to.deep.equal(['0.3333', '0.3334']);
    expect([dividedBy('-1', '3', 4, 'down'), dividedBy('-1', '3', 4, 'up')]).to.deep.equal(['-0.3333', '-0.3334']);
    expect([dividedBy('6', '3', 0, 'down'), dividedBy('6', '3', 0, 'up')]).to.deep.equal(['2', '2']);
    expect(() => dividedBy('1', '0', 2, 'down')).to.throw();
  });

  it('divide back: the quotient is the nearest value below, and the next step is above', () => {
    holds([positive, positive, fc.integer({ min: 0, max: 8 })], (a, b, places) => {
      const down = dividedBy(a, b, places, 'down');
      const up = dividedBy(a, b, places, 'up');

      expect(compare(times(down, b), a)).to.be.at.most(0);
      expect(compare(times(up, b), a)).to.be.at.least(0);
      expect(['0', roundedTo(`0.${'0'.repeat(places)}1`, places, 'up')]).to.include(minus(up, down));
    });
  });

  it('satisfy the laws of arithmetic', () => {
    holds([positive, positive, positive], (a, b, c) => {
      expect(plus(a, b)).to.equal(plus(b, a));
      expect(minus(plus(a, b), b)).to.equal(canonical(a));
      expect(times(a, plus(b, c))).to.equal(plus(times(a, b), times(a, c)));
      expect(absolute(negated(a))).to.equal(canonical(a));
    });
  });

  it('compare by value', () => {
    expect(['123', '0.0012', '1', '0'].map(magnitudeOf)).to.deep.equal([2, -3, 0, 0]);
    expect(['1.250', '3', '0.001'].map(decimalsOf)).to.deep.equal([2, 0, 3]);
  });
});
