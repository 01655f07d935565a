import { expect } from 'chai';
import { covers, grant, ORDINARY_SCOPES, scopes } from '../../src/kernel/principal.ts';

/** What each scope opens: the rows hold, the columns ask for; `r` for reads only. */
const TABLE = `
                api  webhooks  reads  trading  payouts:write  *
  api           x    x         x      x        -              -
  webhooks      -    x         -      -        -              -
  reads         r    -         x      r        -              -
  trading       -    -         -      x        -              -
  payouts:write -    -         -      -        x              -
  *             x    x         x      x        x              x`;

const [columns = [], ...rows] = TABLE.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));

describe('scopes', () => {
  it('are these six', () => {
    expect([...scopes]).to.deep.equal(columns);
    expect([...ORDINARY_SCOPES]).to.deep.equal(columns.slice(0, -1));
  });

  for (const [held = '', ...cells] of rows)
    for (const [n, required = ''] of columns.entries())
      it(`${held} covers ${required}: ${cells[n]}`, () => {
        expect(covers([held], required), 'write').to.equal(cells[n] === 'x');
        expect(covers([held], required, true), 'read').to.equal(cells[n] !== '-');
        expect(grant([held], [required])).to.deep.equal(cells[n] === 'x' ? [required] : []);
      });

  it('cover together what each covers, and nothing without one', () => {
    expect(covers(['webhooks', 'trading'], 'trading')).to.equal(true);
    expect(covers(['webhooks', 'reads'], 'trading')).to.equal(false);
    expect(covers([], 'api', true)).to.equal(false);
    expect(grant(['api'], ['trading', 'nonsense', 'webhooks', 'trading', '*'])).to.deep.equal(['webhooks', 'trading']);
  });
});
