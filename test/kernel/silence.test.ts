import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { silence } from '../../src/kernel/silence.ts';

const AFTER_MS = 60;

describe('silence', () => {
  it('begins when an upstream has been called and has responded to nothing for so long, and ends with a response', async () => {
    const { begin, isSilent } = silence(AFTER_MS);
    expect(isSilent()).to.equal(false);
    const [first, second] = [begin(), begin()];
    expect(isSilent()).to.equal(false);
    await sleep(AFTER_MS);
    expect(isSilent()).to.equal(true);

    first(true);
    expect(isSilent()).to.equal(false);
    await sleep(AFTER_MS);
    expect(isSilent(), 'the other call is still without a response').to.equal(true);

    second(true);
    await sleep(AFTER_MS);
    expect(isSilent(), 'nothing was called').to.equal(false);
  });

  it('goes on when calls end without a response, and others begin', async () => {
    const { begin, isSilent } = silence(AFTER_MS);
    const end = begin();
    await sleep(AFTER_MS);

    end(false);
    const next = begin();

    expect(isSilent()).to.equal(true);
    next(true);
    expect(isSilent()).to.equal(false);
  });
});
