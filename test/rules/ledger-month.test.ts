import { expect } from 'chai';
import { closeLedgerMonth } from '../../src/capabilities/admin/ledger/http.ts';
import { ApiError } from '../../src/kernel/errors.ts';

describe('a month of the ledger with more lines than a file may have', () => {
  /** A database in which everything that is listed is as long. */
  const tx = { query: async () => {}, any: async () => Array(200_001).fill({}) };
  const db = { transaction: (read: (of: typeof tx) => unknown) => read(tx) };
  const missing = async (query: object) => {
    const call = { deps: { db }, path: { month: '2026-01' }, query };
    const error = await closeLedgerMonth(call as never).catch((thrown) => thrown); // as: no more of a call is used
    expect(error).to.be.instanceOf(ApiError);
    return error.details.fields[0].loc;
  };

  it('has to be requested by app, unless it was', async () => {
    expect(await missing({})).to.deep.equal(['query', 'app_id']);
    expect(await missing({ app_id: 'app_1' })).to.deep.equal(['path', 'month']);
  });
});
