import { expect } from 'chai';
import { keepLostPayments } from '../../src/capabilities/registration/commands.ts';
import { nonceOf } from '../../src/capabilities/registration/rules.ts';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { acceptPurchase, purchaseOf } from '../support/purchases.ts';

const address = (digit: string) => `0x${digit.repeat(40)}`;
const [ANN, BEN, CAT] = ['a', 'b', 'c'].map(address) as [string, string, string];

describe('payments on chain that a restored database is compared with', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  before(async () => {
    intentDb = await openIntentDatabase();
    db = await openPool(intentDb.url, 1, () => {});
  });
  after(async () => {
    await db.end();
    await intentDb.close();
  });
  beforeEach(() =>
    intentDb.query(
      'truncate intents, registrations, registration_keys, lost_registrations, enrollments, lanes cascade',
    ),
  );

  const accept = (address: string) => acceptPurchase(intentDb, purchaseOf(address));
  const madeBy = (payer: string, nonce: string) => ({
    ...{ payer, payee: address('e'), units: '119000000', nonce },
    ...{ txHash: `0x${nonce.slice(2, 6)}`, block: 9 },
  });
  const given = async (payer: string, state: string) => {
    const one = purchaseOf(payer);
    await acceptPurchase(intentDb, one);
    if (state !== 'unsent')
      await intentDb.query('update intents set presumed_sent_at = created_at where id = $1', [one.id]);
    const fence = (await intentDb.claim(one.id))?.fence;
    if (state === 'looked for') await intentDb.query(`select presume_sent($1, $2, '{"its": "own"}')`, [one.id, fence]);
    if (state === 'ended')
      await intentDb.query(`select settle_intent($1, $2, 'failed', '{"problem": {"code": "X"}}')`, [one.id, fence]);
    return one;
  };

  for (const [state, isAdopted] of [
    ['presumed', true],
    ['unsent', false],
    ['looked for', false],
    ['ended', false],
  ] as const)
    it(`${isAdopted ? 'are' : 'are not'} taken for what was sent by a purchase that is ${state}`, async () => {
      const { id } = await given(ANN, state);
      const was = (await intentDb.row(id)).sent_payload;

      const { adopted, lost } = await keepLostPayments(db, [madeBy(ANN, nonceOf(id))]);

      expect([adopted.map((one) => one.id), lost]).to.deep.equal([isAdopted ? [id] : [], []]);
      const { sent_payload } = await intentDb.row(id);
      if (isAdopted) expect(sent_payload).to.deep.include({ since_block: 9, proofs: [] });
      else expect(sent_payload).to.deep.equal(was);
    });

  it('may belong to a purchase that is being looked up: it is shown as processing, and its key signs nothing more', async () => {
    const [{ id }, other] = [await given(ANN, 'looked for'), await given(BEN, 'presumed')];

    const shown = await intentDb.query('select id, status from registrations order by payer');
    const keys = await intentDb.query('select registration_id as id from registration_keys');

    expect(shown).to.deep.equal([
      { id, status: 'processing' },
      { id: other.id, status: 'pending' },
    ]);
    expect(keys).to.deep.equal([{ id: other.id }]);
  });

  it('without a purchase keep their payers from another, once for each address, until they are released', async () => {
    await given(ANN, 'unsent');
    await intentDb.query(`insert into enrollments (owner, ex_wallet) values ('ptn_a', $1)`, [BEN]);

    const { lost } = await keepLostPayments(
      db,
      [ANN, BEN, CAT].map((payer, n) => madeBy(payer, `0x${n}111`)),
    );

    expect(lost.map(({ payer, is_known }) => [payer, is_known])).to.have.deep.members([
      [ANN, true],
      [BEN, true],
      [CAT, false],
    ]);
    expect([await accept(BEN), await accept(CAT)]).to.deep.equal(['paid', 'paid']);
    await intentDb.query(`select ops.release_registration('0x1111', 'ada', 'the registrar has it')`);
    expect([await accept(BEN), await accept(CAT)]).to.deep.equal(['accepted', 'paid']);
  });

  it('of a registration that was never recorded keep its address from another until it is released', async () => {
    const { id } = await given(ANN, 'ended');
    await intentDb.query(`update registrations set tx_hash = '0xaa', paid_at = now() where id = $1`, [id]);
    expect(await accept(ANN)).to.equal('paid');

    await intentDb.query(`select ops.release_registration('0xaa', 'ada', 'it was paid back')`);

    expect(await accept(ANN)).to.equal('accepted');
  });
});
