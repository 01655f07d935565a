import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ofNumber } from '../../src/kernel/decimals.ts';
import { fresh, steady } from '../../src/kernel/fresh.ts';

/** A party that counts how often it is asked and answers with that number. */
function counter() {
  const party = {
    asked: 0,
    fails: false,
    read: async () => {
      party.asked += 1;
      const n = party.asked;
      await sleep(5);
      return party.fails ? ({ kind: 'unreadable', why: 'x' } as const) : ({ kind: 'found', said: n } as const);
    },
  };
  return party;
}

describe('fresh', () => {
  it('asks once for callers that come together, and again when its answer is old', async () => {
    const party = counter();
    const read = fresh(40, party.read);

    const answers = await Promise.all(Array.from({ length: 50 }, () => read('a')));
    await sleep(80);
    await read('a');

    expect(new Set(answers)).to.have.property('size', 1);
    expect(party.asked).to.equal(2);
  });

  it('never keeps a failed read', async () => {
    const party = counter();
    party.fails = true;
    const read = fresh(1_000, party.read);
    await read('a');
    party.fails = false;

    expect(await read('a')).to.include({ kind: 'found' });
  });
});

describe('steady', () => {
  it('gives an old answer at once while it asks anew behind it', async () => {
    const party = counter();
    const read = steady(30, 10_000, party.read);
    await read();
    await sleep(60);

    const before = performance.now();
    const stale = await read();
    const took = performance.now() - before;
    await sleep(30);

    expect(stale).to.include({ said: 1 });
    expect(took).to.be.below(5);
    expect(await read()).to.include({ said: 2 });
  });

  it('keeps what it knows while the party cannot be read, but not for ever', async () => {
    const party = counter();
    const read = steady(10, 60, party.read);
    await read();
    party.fails = true;
    await sleep(20);

    expect(await read()).to.include({ said: 1 });
    await sleep(80);
    expect(await read()).to.include({ kind: 'unreadable' });
  });
});

describe('numbers as decimals', () => {
  for (const [value, text] of [
    [0.1 + 0.2, '0.3'],
    [1e-7, '0.0000001'],
    [-1.5, '-1.5'],
    [-0, '0'],
    [1e21, '1000000000000000000000'],
    [98_339.3684339573, '98339.3684339573'],
  ] as const) {
    it(`spells ${value} as ${text}`, () => {
      expect(ofNumber(value)).to.equal(text);
    });
  }

  it('rounds to the places asked for, and refuses what is no number', () => {
    expect(ofNumber(2 / 3, 4)).to.equal('0.6667');
    expect(() => ofNumber(Number.NaN)).to.throw(TypeError);
    expect(() => ofNumber(Number.POSITIVE_INFINITY)).to.throw(TypeError);
  });
});
