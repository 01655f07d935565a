import { expect } from 'chai';
import { listOperations } from '../../src/contract/document.ts';
import { GRANTS } from '../support/authorization.ts';

describe('the contract', () => {
  const written = (sets: Record<string, readonly string[]>[]) => sets.map((set) => JSON.stringify(set)).sort();

  for (const { id, security } of listOperations())
    it(`lets exactly those call ${id} who are entered in test/support/authorization.ts`, () => {
      const declared = security.map((set) => Object.fromEntries(set.map(({ scheme, roles }) => [scheme, roles])));

      expect(GRANTS.has(id), `enter ${id} in test/support/authorization.ts`).to.equal(true);
      expect(written(declared)).to.deep.equal(written([...(GRANTS.get(id) ?? [])]));
    });

  it('declares every operation that is entered', () => {
    const declared = new Set<string>(listOperations().map(({ id }) => id));

    expect([...GRANTS.keys()].filter((id) => !declared.has(id))).to.deep.equal([]);
  });
});
