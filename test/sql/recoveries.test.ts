import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase, type Row } from '../support/intent-database.ts';

const AN_HOUR_AGO = `now() - interval '1 hour'`;

describe('recover_since', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, recoveries, worker_processes cascade'));

  const recover = (since = AN_HOUR_AGO) => intentDb.query(`select kind, intents from recover_since(${since})`);
  const accepted = async () => {
    const one = item();
    await intentDb.accept(one);
    return one.id;
  };
  const worker = (pools: string, silentS: number) =>
    intentDb.query(
      `insert into worker_processes (id, pool_ids, seen_at) values (gen_random_uuid(), $1, now() - make_interval(secs => $2))`,
      [pools, silentS],
    );
  const ONE = [{ kind: 'network/place', intents: 1 }];

  it('has all looked for that the backup shows as unsent, with a day to do so, and nothing else', async () => {
    const [unsent, claimed, sent, ended] = [await accepted(), await accepted(), await accepted(), await accepted()];
    await intentDb.claim(claimed);
    for (const id of [sent, ended]) {
      const { fence } = (await intentDb.claim(id)) as Row;
      await intentDb.beginSending(id, fence);
      if (id === ended) await intentDb.settle(id, fence);
    }

    expect(await recover()).to.deep.equal([{ kind: 'network/place', intents: 2 }]);

    const presumed = await intentDb.query(`
      select id, fence, state from intents
      where presumed_sent_at = created_at and deadline_at > now() + interval '23 hours'
      order by position`);
    expect(presumed).to.deep.equal([
      { id: unsent, fence: 1, state: 'queued' },
      { id: claimed, fence: 2, state: 'queued' }, // whoever had it before the backup has it no longer
    ]);
  });

  it('continues nonces from the present time, above all that were used since the backup, and takes none back', async () => {
    await intentDb.query(`
      insert into signer_nonces (signer, last_nonce)
      values ('0x${'a'.repeat(40)}', 1), ('0x${'b'.repeat(40)}', 9e15::bigint)`);

    await recover();

    const [low, high] = await intentDb.query<{ is_now: boolean; nonce: string }>(`
      select last_nonce between extract(epoch from now()) * 1000 - 60000 and extract(epoch from now()) * 1000 + 60000 as is_now, last_nonce as nonce
      from signer_nonces order by signer`);
    expect([low?.is_now, high?.nonce]).to.deep.equal([true, String(9e15)]);
  });

  it('leaves alone what is accepted once workers are at work again, and no later backup', async () => {
    await recover();
    await worker('{a pool}', 0);
    const id = await accepted();

    expect(await recover()).to.deep.equal([]);
    expect(await intentDb.query('select presumed_sent_at from intents')).to.deep.equal([{ presumed_sent_at: null }]);
    expect(await recover('now()')).to.deep.equal(ONE);
    expect(await intentDb.row(id)).to.include({ state: 'queued' });
  });

  for (const [what, pools, silentS] of [
    ['is dead, as the backup shows it', '{a pool}', 60],
    ['runs no job, because it is in RECOVERY_MODE', '{}', 0],
  ] as const)
    it(`may be repeated while a worker ${what}`, async () => {
      await recover();
      await worker(pools, silentS);
      await accepted();

      expect(await recover()).to.deep.equal(ONE);
    });
});
