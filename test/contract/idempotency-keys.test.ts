import { expect } from 'chai';
import { document, listOperations } from '../../src/contract/document.ts';

/** Operations by POST that write nothing of ours, and those whose protocol has its own rule for repeats. */
const OTHERS: Record<string, string> = {
  validateTrade: 'only checks',
  createWalletChallenge: 'computes a text; nothing is stored',
  issueAccessToken: 'RFC 6749 has no such header; another token costs nothing and expires',
  issuePartnerStreamTicket: 'another ticket costs nothing and expires; a stored one would be used already',
  issueTradingStreamTicket: 'the same',
  revokeAccessToken: 'RFC 7009: a second revocation is the same',
  takeProcessorNotification: 'the processor repeats its events by their id',
};

describe('the Idempotency-Key', () => {
  const writes = listOperations().filter(({ method }) => method !== 'get');

  it('is a header of every operation that writes', () => {
    const without = writes.filter(({ parameters }) => !parameters.some(({ name }) => name === 'Idempotency-Key'));

    expect(without.map(({ id }) => id)).to.have.members(Object.keys(OTHERS));
  });

  it('is explained by the contract where a POST takes none', () => {
    const paths = document.paths as Record<string, Record<string, { description: string }>>;
    const others = writes.filter(({ id }) => id in OTHERS);

    expect(others).to.have.length(Object.keys(OTHERS).length);
    for (const { path, method } of others) expect(paths[path]?.[method]?.description).to.include('`Idempotency-Key`');
  });
});
