import { expect } from 'chai';
import { newIntentId } from '../../src/kernel/ids.ts';
import { type IntentDatabase, type Item, item, openIntentDatabase } from '../support/intent-database.ts';

type Verdict = { n: number; intent_id: string; verdict: string };

const ADDRESS = `0x${'a'.repeat(40)}`;
const HASH = `0x${'1'.repeat(64)}`;

describe('registrations in SQL', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
  });
  afterEach(() => intentDb.close());

  const purchase = (more: Partial<Item> = {}): Item =>
    item({
      kind: 'registration/purchase',
      lane: `registrar:${ADDRESS}`,
      ex_address: ADDRESS,
      miner_slug: 'vanta',
      account_size: 25_000,
      payer: ADDRESS,
      sealed: 'c0ffee',
      ...more,
    });
  const accept = (...items: Item[]): Promise<Verdict[]> =>
    intentDb.query('select * from accept_registrations($1) order by n', [
      JSON.stringify(items.map((one, n) => ({ ...one, n }))),
    ]);
  const keys = async () => (await intentDb.query('select from registration_keys')).length;
  type Row = { status: string; tx_hash: string | null; problem: string | null; paid_at: Date | null };
  const rowOf = async (id: string) =>
    (
      await intentDb.query<Row>('select status, tx_hash, problem, paid_at from registrations where id = $1', [id])
    )[0] as Row;
  const settle = (id: string, fence: number, ending: string, data: object) =>
    intentDb.query('select settle_intent($1, $2, $3, $4)', [id, fence, ending, JSON.stringify(data)]);

  async function accepted(more: Partial<Item> = {}): Promise<{ id: string; fence: number }> {
    const one = purchase(more);
    expect((await accept(one)).map(({ verdict }) => verdict)).to.deep.equal(['accepted']);
    return { id: one.id, fence: (await intentDb.claim(one.id))?.fence ?? 0 };
  }

  it('are written with intent, job and sealed key, or not at all', async () => {
    const one = purchase();

    const verdicts = await accept(one);

    expect(verdicts).to.deep.equal([{ n: 0, intent_id: one.id, verdict: 'accepted' }]);
    expect(await rowOf(one.id)).to.include({ status: 'pending', tx_hash: null });
    expect((await intentDb.jobs()).map(({ intent_id }) => intent_id)).to.deep.equal([one.id]);
    expect(await keys()).to.equal(1);
    expect(JSON.stringify(await intentDb.row(one.id))).not.to.include('c0ffee');
  });

  it('are accepted for all payers but the one who paid for one that was lost with a backup', async () => {
    const other = `0x${'b'.repeat(40)}`;
    await intentDb.query(`insert into lost_registrations (tx_hash, payer, payee, units) values ($1, $2, '0xff', 1)`, [
      HASH,
      ADDRESS,
    ]);

    const verdicts = await accept(purchase(), purchase({ owner: 'ptn_b', payer: other }));

    expect(verdicts.map(({ verdict }) => verdict)).to.deep.equal(['paid', 'accepted']);
  });

  it('that were paid and not recorded stop neither other addresses of their partner nor other partners', async () => {
    const { id, fence } = await accepted();
    await settle(id, fence, 'failed', { problem: { code: 'V1_PAYMENT_REFUSED' } });
    await intentDb.query('update registrations set tx_hash = $2, paid_at = now() where id = $1', [id, HASH]);
    const elsewhere = { ex_address: `0x${'b'.repeat(40)}` };

    const verdicts = await accept(purchase(), purchase(elsewhere), purchase({ owner: 'ptn_b' }));

    expect(verdicts.map(({ verdict }) => verdict)).to.deep.equal(['paid', 'accepted', 'accepted']);
  });

  it('say of an address what their own partner has of it, not another', async () => {
    const { id } = await accepted({ owner: 'ptn_0' });
    await intentDb.query(`update registrations set status = 'registered' where id = $1`, [id]);
    const elsewhere = await accepted({ ex_address: `0x${'0'.repeat(40)}` });
    await intentDb.query(`update registrations set status = 'active' where id = $1`, [elsewhere.id]);
    await accepted();

    expect((await accept(purchase())).map(({ verdict }) => verdict)).to.deep.equal(['under_way']);
  });

  it('have one chain of polls, although two workers did the same poll', async () => {
    const { id } = await accepted();
    const finish = () => intentDb.query<{ ok: boolean }>('select finish_poll($1, 0, null, 5) as ok', [id]);

    expect([...(await finish()), ...(await finish())]).to.deep.equal([{ ok: true }, { ok: false }]);
    expect(await intentDb.query(`select from queue_jobs where task = 'registration/poll'`)).to.have.length(1);
  });

  it('do not change any more once they are final, whatever a late poll has read, and are not polled on', async () => {
    for (const [n, status] of ['registered', 'active', 'failed', 'eliminated', 'deregistered'].entries()) {
      const address = `0x${String(n).repeat(40)}`;
      const { id } = await accepted({ ex_address: address, lane: `registrar:${address}` });
      await intentDb.query('update registrations set status = $2 where id = $1', [id, status]);

      const late = await intentDb.query(`select finish_poll($1, 0, '{"status": "processing"}', 5) as ok`, [id]);

      expect(late).to.deep.equal([{ ok: false }]);
      expect(await rowOf(id)).to.include({ status });
    }
    expect(await intentDb.query(`select from queue_jobs where task = 'registration/poll'`)).to.deep.equal([]);
  });

  it('get separate verdicts: replays first, then active ones', async () => {
    const first = purchase({ idempotency_key: 'k' });
    await accept(first);

    const verdicts = await accept(
      purchase({ idempotency_key: 'k' }),
      purchase({ idempotency_key: 'k', digest: '01' }),
      purchase(),
      purchase({ owner: 'ptn_b' }),
    );

    expect(verdicts.map(({ verdict }) => verdict)).to.deep.equal(['replayed', 'key_reused', 'under_way', 'accepted']);
    expect(verdicts[0]?.intent_id).to.equal(first.id);
    expect(await intentDb.query('select from intents')).to.have.length(2);
    expect(await keys()).to.equal(2);
  });

  it('of one address are one, however many arrive at once', async () => {
    const hands = await Promise.all(Array.from({ length: 8 }, () => intentDb.session()));

    const verdicts = await Promise.all(
      hands.map((session) =>
        session.query<Verdict>('select * from accept_registrations($1)', [JSON.stringify([{ ...purchase(), n: 0 }])]),
      ),
    );

    const kinds = verdicts.map(([one]) => one?.verdict);
    expect(kinds.filter((word) => word === 'accepted')).to.have.length(1);
    expect(kinds.filter((word) => word === 'under_way')).to.have.length(7);
    expect(await keys()).to.equal(1);
  });

  const endings = [
    ['succeeded', { result: { status: 'registered', tx_hash: HASH, message: null } }, 'registered'],
    ['failed', { problem: { code: 'V1_PAYMENT_REFUSED' } }, 'failed'],
    ['expired', { problem: { code: 'DEADLINE_PASSED' } }, 'failed'],
  ] as const;
  for (const [ending, data, status] of endings) {
    it(`lose their key at the end: ${ending}`, async () => {
      const { id, fence } = await accepted();

      await settle(id, fence, ending, data);

      expect(await rowOf(id)).to.include({ status });
      expect(await keys()).to.equal(0);
    });
  }

  it('lose their key when they expire unclaimed', async () => {
    const one = purchase({ deadline_s: 0 });
    await accept(one);

    expect(await intentDb.claim(one.id)).to.equal(null);

    expect(await rowOf(one.id)).to.include({ status: 'failed', problem: 'DEADLINE_PASSED' });
    expect(await keys()).to.equal(0);
  });

  it('lose their key with the commit that stores what it signed, and keep it through an attempt that sent nothing', async () => {
    const { id, fence } = await accepted();
    await intentDb.retry(id, fence);
    const waiting = await keys();
    const again = (await intentDb.claim(id))?.fence ?? 0;

    await intentDb.beginSending(id, again);

    expect([waiting, await keys()]).to.deep.equal([1, 0]);
    expect(await rowOf(id)).to.include({ status: 'processing' });
    await intentDb.retry(id, again);
    expect(await rowOf(id)).to.include({ status: 'pending' });
  });

  it('do not change under a lost claim', async () => {
    const { id, fence } = await accepted();

    await settle(id, fence - 1, 'failed', { problem: { code: 'X' } });

    expect(await rowOf(id)).to.include({ status: 'pending' });
    expect(await keys()).to.equal(1);
  });

  it('keep the hash of their payment whatever happens', async () => {
    const { id, fence } = await accepted();
    await intentDb.beginSending(id, fence);
    await intentDb.query('select note_payment($1, $2, $3)', [id, HASH, 'paid']);

    await intentDb.query('select note_payment($1, $2, $3)', [id, `0x${'2'.repeat(64)}`, 'other']);
    await settle(id, fence, 'failed', { problem: { code: 'X' } });
    const [verdict] = await accept(purchase());

    expect(await rowOf(id)).to.include({ status: 'failed', tx_hash: HASH });
    expect(verdict?.verdict).to.equal('paid');
  });

  it('become active again when paid later, but never next to another active one', async () => {
    const { id, fence } = await accepted();
    await settle(id, fence, 'failed', { problem: { code: 'X' } });
    const other = await accepted();

    const revive = async () =>
      (await intentDb.query<{ alive: boolean }>('select revive_registration($1, 0, $2, $3) alive', [id, HASH, '']))[0]
        ?.alive;
    const beside = await revive();
    expect(await rowOf(id)).to.include({ status: 'failed', tx_hash: HASH });
    await settle(other.id, other.fence, 'failed', { problem: { code: 'X' } });

    expect([beside, await revive(), await revive()]).to.deep.equal([false, true, false]); // a poll is done once
    expect(await rowOf(id)).to.include({ status: 'processing', tx_hash: HASH });
  });

  it('schedule their first reconciliation when they end, once', async () => {
    const { id, fence } = await accepted();
    const data = JSON.stringify({ result: { status: 'pending', tx_hash: HASH } });
    await intentDb.finishJobs(id);

    const end = () => intentDb.query(`select end_purchase($1, $2, 'succeeded', $3, 5)`, [id, fence, data]);
    await end();
    const again = await end().catch(({ code }) => code);

    expect(again).to.equal('TP001');
    const polls = (await intentDb.jobs()).filter(({ task }) => task === 'registration/poll');
    expect(polls).to.have.length(1);
    expect(polls[0]?.in_ms).to.be.within(3_000, 5_100);
  });

  it('do not change other intents', async () => {
    const other = { ...item(), id: newIntentId() };
    await intentDb.accept(other);

    const claimed = await intentDb.claim(other.id);

    expect(await intentDb.settle(other.id, claimed?.fence ?? 0)).to.equal(true);
  });
});
