import { expect } from 'chai';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import type { IntentId, WalletAddress } from '../../src/kernel/ids.ts';
import { listReplacedExits } from '../../src/venues/exchange/orders/plans/queries.ts';
import { decideExits } from '../../src/venues/exchange/orders/store.ts';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

const wallet = `0x${'a'.repeat(40)}` as WalletAddress;
const pair = 'BTC';

describe('the exits that a command has replaced', () => {
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
  beforeEach(() => intentDb.query('truncate exit_plans'));

  async function accepted(): Promise<IntentId> {
    const one = item();
    await intentDb.accept(one);
    return one.id as IntentId; // as: an intent's
  }
  const decide = (id: IntentId, oid: string) => decideExits(db, { id, wallet, pair }, { sl: oid });
  const replacedBy = async (id: IntentId) => (await listReplacedExits(db, { id, wallet, pair })).map(({ oid }) => oid);
  /** What a command does in the transaction that submits the cancellations. */
  const submit = (id: IntentId) =>
    intentDb.query(`select record_exchange_exits($1, 'ptn_a', $2, $3, '[]', '{}', '[]')`, [id, wallet, pair]);

  it('stay noted while its worker dies before they are cancelled, also for the command after it', async () => {
    const [first, second, third] = [await accepted(), await accepted(), await accepted()];
    await decide(first, '1');
    await submit(first);
    await decide(second, '2');
    await decide(second, '2'); // again, after its worker died
    expect(await replacedBy(second)).to.deep.equal(['1']);

    await decide(third, '3');

    expect(await replacedBy(third)).to.deep.equal(['1', '2']);
  });

  it('are cancelled once', async () => {
    const [first, second, third] = [await accepted(), await accepted(), await accepted()];
    await decide(first, '1');
    await decide(second, '2');
    await submit(second);

    await decide(third, '3');

    expect(await replacedBy(third)).to.deep.equal(['2']);
  });
});
