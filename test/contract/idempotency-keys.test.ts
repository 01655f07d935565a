import { expect } from 'chai';
import { listOperations } from '../../src/contract/document.ts';

/** Operations by POST that write nothing of ours, and those whose protocol has its own rule for repeats. */
const OTHERS: Record<string, string> = {
  validateTrade: 'only checks',
  createWalletChallenge: 'computes a text; nothing is stored',
  issueAccessToken: 'RFC 6749 has no such header; another token costs nothing and expires',
  revokeAccessToken: 'RFC 7009: a second revocation is the same',
  takeProcessorNotification: 'the processor repeats its events by their id',
};

describe('the Idempotency-Key', () => {
  const writes = listOperations().filter(({ method }) => method !== 'get');

  it('is a header of every operation that writes', () => {
    const without = writes.filter(({ parameters }) => !parameters.some(({ name }) => name === 'Idempotency-Key'));

    expect(without.map(({ id }) => id)).to.have.members(Object.keys(OTHERS));
  });
});
