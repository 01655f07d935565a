import { expect } from 'chai';
import { type Db, openPool } from '../../src/db/pool.ts';
import { type Accept, acceptance, type Offer } from '../../src/intents/accept.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import { item, openSpine, type Spine } from '../support/spine.ts';

describe('acceptance', () => {
  let spine: Spine;
  let db: Db;
  let accept: Accept<Offer>;
  before(async () => {
    spine = await openSpine();
    db = await openPool(spine.url, 5, () => {});
    accept = acceptance(db, 'accept_intents');
  });
  after(async () => {
    await db.end();
    await spine.close();
  });

  const offer = (more: Partial<Offer> = {}): Offer => ({
    id: newIntentId(),
    kind: 'orders/place',
    owner: 'ptn_a',
    asked: {},
    digest: '00',
    deadline_s: 60,
    ...more,
  });

  it('lets one bad offer of a crowd fail alone', async () => {
    const offers = Array.from({ length: 40 }, (_, n) => offer(n === 20 ? { digest: 'no hex' } : {}));

    const results = await Promise.allSettled(offers.map((one) => accept(one)));

    const failed = results.flatMap(({ status }, n) => (status === 'rejected' ? n : []));
    expect(failed).to.deep.equal([20]);
    expect(await spine.query('select from intents')).to.have.length(39);
  });

  it('refuses by the verdict, and by what its kind makes of one it does not know', async () => {
    const taken = offer();
    await accept(taken);
    await accept(offer({ idempotency_key: 'k' }));

    const refusals = await Promise.all([
      accept(offer({ idempotency_key: 'k', digest: '01' })).catch((error) => error.code),
      accept(offer({ id: taken.id, owner: 'ptn_b' })).catch((error) => error.message),
    ]);

    expect(refusals).to.deep.equal(['IDEMPOTENCY_KEY_REUSED', 'Unforeseen verdict id_taken']);
  });

  it('offers again what PostgreSQL undid to resolve a deadlock', async () => {
    const other = await spine.hand();
    await other.query('begin');
    await other.accept(item({ lane: 'contended' }));
    const accepting = accept(offer({ lane: 'contended', idempotency_key: 'contended' }));
    await new Promise((resolve) => setTimeout(resolve, 100)); // it holds the key and waits for the lane
    await other.accept(item({ idempotency_key: 'contended', digest: '02' })).catch(() => {});
    await other.query('rollback');

    const { id, replayed } = await accepting;

    expect(replayed).to.equal(false);
    expect(await spine.row(id)).to.include({ state: 'queued' });
  });
});
