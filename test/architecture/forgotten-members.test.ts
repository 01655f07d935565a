import { expect } from 'chai';
import { compilersOfCopies } from './changes/compiler.ts';
import { type Change, type Copy, changedCopy } from './changes/copy.ts';

const put = (name: string) => `\n        ${name}: { type: string }`;
const file = 'src/contract/openapi.yaml';

/** One member of each write at the exchange that the contract has and nothing else. */
const forgotten: Change = {
  adds: {},
  edits: [
    { file, after: 'description: Whether the order can only reduce a position. }', put: put('of_order') },
    { file, after: `schemas/Pair', description: The pair whose open position is closed. }`, put: put('of_close') },
    { file, after: `schemas/Pair', description: The pair whose open position is protected. }`, put: put('of_exits') },
  ],
  test: { file: 'test/architecture/none.ts', text: '' },
};

describe('a member of a write at the exchange that the contract has', function () {
  this.timeout(180_000);
  let copy: Copy;
  before(async () => {
    copy = await changedCopy([forgotten], compilersOfCopies());
  });
  after(() => copy.remove());

  it('does not compile where it is forgotten: the order would be placed without it', () => {
    const others = ['rules.ts', 'intents.ts'].map((name) => `src/venues/exchange/orders/${name}`);
    const errors = copy.typeErrors({ others }).join('\n');

    for (const name of ['of_order', 'of_close', 'of_exits']) expect(errors).to.include(`'${name}'`);
  });
});
