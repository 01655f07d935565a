import { expect } from 'chai';
import { verifyAgreements } from '../../src/capabilities/agreements/verify.ts';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

describe('agreements:verify', () => {
  let intentDb: IntentDatabase;
  let pool: DbPool;
  before(async () => {
    intentDb = await openIntentDatabase();
    pool = await openPool(intentDb.url, 1, () => {});
  });
  after(async () => {
    await pool.end();
    await intentDb.close();
  });

  it('finds no fault where people sign meanwhile', async () => {
    await intentDb.query(`
      insert into apps (id, slug, name, allowed_scopes) values ('app_a', 'a', 'A', '{api}'), ('app_b', 'b', 'B', '{api}')`);
    let isOver = false;
    const signing = (async () => {
      while (!isOver)
        await intentDb.query(`select sign_agreement(id, 'usr_x', '1', 'X', null, null, '192.0.2.1', 'A') from apps`);
    })();

    let [rows, faults]: [number, object[]] = [0, []];
    while (rows < 200 && faults.length === 0) ({ rows, faults } = await verifyAgreements(pool));
    isOver = true;
    await signing;

    expect(faults).to.deep.equal([]);
  });
});
