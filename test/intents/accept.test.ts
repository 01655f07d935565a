import { expect } from 'chai';
import { sql } from 'slonik';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { type Accept, acceptance, type NewIntent } from '../../src/intents/accept.ts';
import { intentReader } from '../../src/intents/follow.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';
import { loseResponses } from '../support/lost-response.ts';
import { until } from '../support/processes.ts';

const REJECTING = `
  create sequence if not exists rejections;
  create function is_read_only() returns trigger language plpgsql as $$
  begin perform nextval('rejections'); raise exception using errcode = 'read_only_sql_transaction'; end $$;
  create trigger is_read_only before insert on intents for each statement execute function is_read_only()`;

const IS_REJECTED = 'select from rejections where is_called';

describe('acceptance', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  let accept: Accept<NewIntent>;
  before(async () => {
    intentDb = await openIntentDatabase();
    db = await openPool(intentDb.url, 5, () => {});
    accept = acceptance(db, 'accept_intents');
  });
  after(async () => {
    await db.end();
    await intentDb.close();
  });

  const newIntent = (more: Partial<NewIntent> = {}): NewIntent => ({
    id: newIntentId(),
    kind: 'network/place',
    owner: 'ptn_a',
    request: {},
    digest: '00',
    deadline_s: 60,
    ...more,
  });

  it('fails only the bad intent of a batch', async () => {
    const newIntents = Array.from({ length: 40 }, (_, n) => newIntent(n === 20 ? { digest: 'no hex' } : {}));

    const results = await Promise.allSettled(newIntents.map((one) => accept(one)));

    const failed = results.flatMap(({ status }, n) => (status === 'rejected' ? n : []));
    expect(failed).to.deep.equal([20]);
    expect(await intentDb.query('select from intents')).to.have.length(39);
  });

  it('throws by the verdict, and the error of its kind for an unknown verdict', async () => {
    const taken = newIntent();
    await accept(taken);
    await accept(newIntent({ idempotency_key: 'k' }));

    const errors = await Promise.all([
      accept(newIntent({ idempotency_key: 'k', digest: '01' })).catch((error) => error.code),
      accept(newIntent({ id: taken.id, owner: 'ptn_b' })).catch((error) => error.message),
    ]);

    expect(errors).to.deep.equal(['IDEMPOTENCY_KEY_REUSED', 'Unknown verdict id_taken']);
  });

  it('returns the row as it was written', async () => {
    const { id, written } = await accept(newIntent({ lane: 'l', request: { size: '1' }, deadline_s: 15 }));

    expect(written).to.deep.equal(await intentReader(db)(id));
  });

  it('repeats a submission that PostgreSQL aborted to resolve a deadlock', async () => {
    const other = await intentDb.session();
    await other.query('begin');
    await other.accept(item({ lane: 'contended' }));
    const accepting = accept(newIntent({ lane: 'contended', idempotency_key: 'contended' }));
    await new Promise((resolve) => setTimeout(resolve, 100)); // it holds the key and waits for the lane
    await other.accept(item({ idempotency_key: 'contended', digest: '02' })).catch(() => {});
    await other.query('rollback');

    const { id, replayed } = await accepting;

    expect(replayed).to.equal(false);
    expect(await intentDb.row(id)).to.include({ state: 'queued' });
  });

  it('repeats a submission that the database rejects for a moment, as a primary does that is about to be replaced', async () => {
    await intentDb.query(REJECTING);
    const accepting = accept(newIntent());
    await new Promise((resolve) => setTimeout(resolve, 700));
    await intentDb.query('drop function is_read_only cascade');

    const { id, replayed } = await accepting;

    expect(replayed).to.equal(false);
    expect(await intentDb.row(id)).to.include({ state: 'queued' });
  });

  it('is given up in time also where the last attempt waits, and then denies no effect', async () => {
    const other = await intentDb.session();
    await intentDb.query('drop sequence if exists rejections');
    await intentDb.query(REJECTING);
    const one = newIntent();
    const failed = accept(one).catch((thrown) => thrown);
    await until('the first attempt is rejected', async () => (await intentDb.query(IS_REJECTED)).length > 0);
    await other.query('begin; lock table intents in access exclusive mode; drop function is_read_only cascade');
    const now = performance.now.bind(performance);
    const begunAt = now();
    performance.now = () => now() + 2_500;

    const error = await failed;
    performance.now = now;
    await other.query('commit');

    expect(now() - begunAt).to.be.below(3_000);
    expect(error).to.have.property('code', 'SERVICE_UNAVAILABLE');
    expect(error.details).to.include({ effect: 'unknown', intent_id: one.id });
  });

  it('denies no effect where the response to the first attempt was lost and the database rejected the others', async () => {
    const [one, responses] = [newIntent(), loseResponses('accept_intents')];
    const alone = await openPool(intentDb.url, 1, () => {});
    await alone.any(sql.unsafe`select`); // its connection may write, those after it may not
    const [named] = await intentDb.query<{ name: string }>('select current_database() as name');
    await intentDb.query(`alter database ${named?.name} set default_transaction_read_only = on`);
    responses.toLose = 1;

    const error = await acceptance(alone, 'accept_intents')(one).catch((thrown) => thrown);
    responses.restore();
    await intentDb.query(`alter database ${named?.name} reset default_transaction_read_only`);
    await alone.end();

    expect(responses.lost).to.equal(1);
    expect(error).to.have.property('code', 'SERVICE_UNAVAILABLE');
    expect(error.details).to.include({ effect: 'unknown', intent_id: one.id });
    expect(await intentDb.row(one.id)).to.include({ state: 'queued' });
  });
});
