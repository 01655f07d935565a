import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase, type Row } from '../support/intent-database.ts';

const PAYLOAD = '{"what": 1}';
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

  it('leaves a deadline that is later than that as it is', async () => {
    await intentDb.accept(item({ deadline_s: 3 * 86_400 }));

    await recover();

    const [{ days } = { days: 0 }] = await intentDb.query<{ days: number }>(
      'select round(extract(epoch from deadline_at - now()) / 86400)::integer as days from intents',
    );
    expect(days).to.equal(3);
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
    it(`may be repeated while a worker ${what}: what it has presumed stays as it is`, async () => {
      await accepted();
      await recover();
      await worker(pools, silentS);
      await accepted();

      expect(await recover()).to.deep.equal(ONE);
    });
});

describe('an intent that a restored database may have sent', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, lost_orders, restore_evidence cascade'));

  const presumed = async () => {
    const { id } = item();
    await intentDb.accept(item({ id }));
    await intentDb.query('update intents set presumed_sent_at = created_at where id = $1', [id]);
    return (await intentDb.claim(id)) as Row;
  };
  const presume = async ({ id, fence }: Pick<Row, 'id' | 'fence'>) =>
    (await intentDb.query<{ ok: boolean }>('select presume_sent($1, $2, $3) ok', [id, fence, PAYLOAD]))[0]?.ok;

  it('is in doubt with what would be sent now, and no other is', async () => {
    const [one, other] = [await presumed(), await presumed()];

    expect(await presume(one)).to.equal(true);

    expect(await intentDb.row(one.id)).to.deep.include({ state: 'in_doubt', sent_payload: JSON.parse(PAYLOAD) });
    expect(await intentDb.row(other.id)).to.deep.include({ state: 'running', sent_payload: null });
  });

  for (const [kind, from] of [
    ['network/place', 'now'], // an order that left before the restore may still be on its way
    ['exchange/place', 'now'],
    ['payouts/pay', 'the earliest time'], // what a payout account did since then is searched
    ['accounts/provision', 'the earliest time'],
  ])
    it(`counts as sent from ${from} on: ${kind}`, async () => {
      const one = item({ kind });
      await intentDb.accept(one);
      await intentDb.query(`update intents set presumed_sent_at = ${AN_HOUR_AGO} where id = $1`, [one.id]);

      expect(await presume((await intentDb.claim(one.id)) as Row)).to.equal(true);

      const [row] = await intentDb.query<{ ago_min: number }>(
        'select round(extract(epoch from now() - sending_at) / 60)::integer as ago_min from intents',
      );
      expect(row?.ago_min).to.equal(from === 'now' ? 0 : 60);
    });

  it('is shown to be one by its order at the venue, however it ended unsent, and not if it was sent', async () => {
    const states = ['queued', 'running', 'failed', 'expired', 'succeeded', 'sent'];
    const items = states.map(() => item());
    for (const [n, { id }] of items.entries()) {
      await intentDb.accept(items[n] as (typeof items)[number]);
      if (n === 0) continue;
      const { fence } = (await intentDb.claim(id)) as Row;
      if (states[n] === 'sent') await intentDb.beginSending(id, fence);
      else if (states[n] !== 'running') await intentDb.settle(id, fence, states[n]);
    }

    const ids = items.map(({ id }) => id);
    const evidence = await intentDb.query<{ id: string }>('select id from record_restore_evidence($1, $1, 100)', [ids]);

    expect(evidence.map(({ id }) => states[ids.indexOf(id)])).to.have.members([
      'queued',
      'running',
      'failed',
      'expired',
    ]);
  });

  for (const [what, change] of [
    ['another worker has claimed it since', ({ id }: Row) => intentDb.claim(id)],
    ['it has ended', ({ id, fence }: Row) => intentDb.settle(id, fence, 'failed')],
    ['it was put back', ({ id, fence }: Row) => intentDb.retry(id, fence)],
    ['it is in doubt already', (held: Row) => presume(held)],
    ['it has begun to be sent', ({ id, fence }: Row) => intentDb.beginSending(id, fence)],
    [
      'no backup presumes that',
      ({ id }: Row) => intentDb.query('update intents set presumed_sent_at = null where id = $1', [id]),
    ],
  ] as const)
    it(`stays as it is where ${what}`, async () => {
      const held = await presumed();
      await change(held);
      const before = await intentDb.row(held.id);

      expect(await presume(held)).to.equal(false);
      expect(await intentDb.row(held.id)).to.deep.equal(before);
    });

  it('is no new evidence if a venue shows its order, and neither is a known lost order', async () => {
    const [unsent, known, lost, news] = [item(), await presumed(), item(), item()];
    await intentDb.accept(unsent);
    await intentDb.query('insert into lost_orders (id) values ($1)', [lost.id]);
    const shown = [unsent, known, lost, news].map(({ id }) => id);

    const evidence = await intentDb.query('select id, kind from record_restore_evidence($1, $1, 100) order by kind', [
      shown,
    ]);

    expect(evidence).to.deep.equal([
      { id: news.id, kind: 'unknown' },
      { id: unsent.id, kind: 'unsent' },
    ]);
  });
});
