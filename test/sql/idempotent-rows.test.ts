import { expect } from 'chai';
import {
  type KeyUse,
  keepResponse,
  releaseKey,
  replaceResponse,
  reserveKey,
} from '../../src/db/idempotent-responses.ts';
import { reseal, sealedColumns } from '../../src/db/reseal.ts';
import { newSealingKey, sealer as readSealer } from '../../src/kernel/seal.ts';
import { openRows, type Rows } from '../support/rows.ts';

const sealer = readSealer(`test:${Buffer.alloc(32, 'test').toString('base64')}`);
const MINE: KeyUse = { caller: 'ptn_mine', key: 'the same', digest: 'aa' };
const OTHERS: KeyUse = { ...MINE, caller: 'ptn_other' };
const ANOTHER: KeyUse = { ...MINE, key: 'another' };

/** Two callers with the same key, and one of them with another: what is done to one use changes no other. */
describe('the uses of keys', () => {
  let rows: Rows;
  before(async () => {
    rows = await openRows();
  });
  after(() => rows.close());

  const reserve = (use: KeyUse) => reserveKey(rows.db, sealer, use);
  const keep = (use: KeyUse, status: number) => keepResponse(rows.db, sealer, use, { status, body: use.caller });
  /** The status that is kept of each use, or the state of its key. */
  const kept = async () => {
    const found = [];
    for (const use of [MINE, OTHERS, ANOTHER]) {
      const state = await reserve(use);
      found.push(state.verdict === 'kept' ? state.response.status : state.verdict);
    }
    return found;
  };
  beforeEach(async () => {
    await rows.run('truncate idempotent_responses');
    for (const use of [MINE, OTHERS, ANOTHER]) expect((await reserve(use)).verdict).to.equal('fresh');
  });

  it('are reserved apart, and each returns its own response', async () => {
    await keep(OTHERS, 201);

    expect(await kept()).to.deep.equal(['under_way', 201, 'under_way']);
  });

  it('keep a response once, each its own', async () => {
    expect([await keep(MINE, 201), await keep(MINE, 202)]).to.deep.equal([true, false]);

    expect(await kept()).to.deep.equal([201, 'under_way', 'under_way']);
  });

  it('have a response replaced, each its own, and only once there is one', async () => {
    await replaceResponse(rows.db, sealer, MINE, { status: 500, body: null });
    for (const use of [MINE, OTHERS, ANOTHER]) await keep(use, 202);
    await replaceResponse(rows.db, sealer, MINE, { status: 200, body: null });

    expect(await kept()).to.deep.equal([200, 202, 202]);
  });

  it('are released, each by itself, and only in the state that is meant', async () => {
    for (const use of [OTHERS, ANOTHER]) await keep(use, 202);
    await releaseKey(rows.db, MINE, true);
    expect(await kept()).to.deep.equal(['under_way', 202, 202]);

    await releaseKey(rows.db, MINE, false);

    expect(await kept()).to.deep.equal(['fresh', 202, 202]);
  });

  it('that were abandoned are free for the same request alone, and for no other', async () => {
    await rows.run(`update idempotent_responses set created_at = now() - interval '1 hour'`);

    expect((await reserve({ ...MINE, digest: 'bb' })).verdict).to.equal('key_reused');
    expect((await reserve(MINE)).verdict).to.equal('fresh');
    expect((await reserve(MINE)).verdict).to.equal('under_way');
  });

  it('are recognised once the key that their request was stored under is removed from the ring', async () => {
    const [older, newer] = [newSealingKey(), newSealingKey()];
    const use = { ...MINE, key: 'before the rotation' };
    await reserveKey(rows.db, readSealer(older), use);
    await keepResponse(rows.db, readSealer(older), use, { status: 201, body: 'made' });

    const column = sealedColumns.find(({ table }) => table === 'idempotent_responses');
    if (!column) throw new Error('Responses are sealed');
    await reseal(rows.db, readSealer(`${newer},${older}`), column);
    const repeated = await reserveKey(rows.db, readSealer(newer), use);
    const other = await reserveKey(rows.db, readSealer(newer), { ...use, digest: 'bb' });

    expect(repeated).to.deep.equal({ verdict: 'kept', response: { status: 201, body: 'made' } });
    expect(other).to.deep.equal({ verdict: 'key_reused' });
  });
});
