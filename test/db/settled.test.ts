import { expect } from 'chai';
import { listenForSettlements, type Settlements } from '../../src/db/settled.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { until } from '../support/processes.ts';

describe('listenForSettlements', () => {
  let intentDb: IntentDatabase;
  let settlements: Settlements;
  const faults: Error[] = [];
  const traded: (string | null)[] = [];
  let partnersChanged = 0;
  before(async () => {
    intentDb = await openIntentDatabase();
    settlements = listenForSettlements(intentDb.url, (error) => faults.push(error), {
      onTraded: (trader) => traded.push(trader),
      onPartnersChanged: () => {
        partnersChanged += 1;
      },
    });
    await until('the listener', isListening);
  });
  after(async () => {
    await settlements.close();
    await intentDb.close();
  });

  const listeners = () =>
    intentDb.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and application_name = 'settlements' and query like '%listen "settled"'`,
    );
  const isListening = async () => (await listeners()).length === 1;
  const notify = (id: string) => intentDb.query(`select pg_notify('settled', $1)`, [id]);

  /** How long a wait for this intent took, in milliseconds. */
  async function waitMs(id: string, timeoutMs: number): Promise<number> {
    const startedAt = performance.now();
    await settlements.next(id, timeoutMs).notified;
    return performance.now() - startedAt;
  }

  it('resolves every wait for the intent, and no other', async () => {
    const [id, other] = [newIntentId(), newIntentId()];
    const waits = [waitMs(id, 5_000), waitMs(id, 5_000), waitMs(other, 400)];
    await notify(id);

    const [first, second, third] = await Promise.all(waits);

    expect(Math.max(Number(first), Number(second))).to.be.below(300);
    expect(third).to.be.at.least(390);
  });

  it('resolves waits when the connection is restored', async () => {
    const id = newIntentId();
    const [old] = await listeners();
    const notified = waitMs(id, 5_000);
    await intentDb.query('select pg_terminate_backend($1)', [old?.pid]);
    const tookMs = await notified;
    await until('another connection', async () => (await listeners()).some(({ pid }) => pid !== old?.pid));
    const again = waitMs(id, 5_000);
    await notify(id);

    expect(tookMs).to.be.within(200, 1_500); // by the new connection, before its own read
    expect(await again).to.be.below(300);
    expect(faults).not.to.deep.equal([]);
  });

  it('calls back once with an intent, when it settles or the connection is restored, unless that is withdrawn', async () => {
    const [settled, lost, withdrawn] = [newIntentId(), newIntentId(), newIntentId()];
    const ended: string[] = [];
    for (const id of [settled, lost, withdrawn]) settlements.once(id, (intentId) => ended.push(intentId));
    settlements.forget(withdrawn);

    const last = waitMs(withdrawn, 5_000);
    for (const id of [settled, settled, withdrawn]) await notify(id);
    await last;
    const first = [...ended];
    const [old] = await listeners();
    await intentDb.query('select pg_terminate_backend($1)', [old?.pid]);
    await until('another call', async () => ended.length > first.length);

    expect(first).to.deep.equal([settled]);
    expect(ended).to.deep.equal([settled, lost]);
  });

  it('notifies followers of an account, at its events and when the connection is restored, until they stop', async () => {
    let notified = 0;
    const stop = settlements.follow('prop_a', () => {
      notified += 1;
    });

    await intentDb.query(`select pg_notify('account_events', 'prop_a'), pg_notify('account_events', 'prop_b')`);
    await until('a notification', () => notified === 1);
    const [listener] = await listeners();
    await intentDb.query('select pg_terminate_backend($1)', [listener?.pid]);
    await until('a second one', () => notified === 2);
    stop();
    await intentDb.query(`select pg_notify('account_events', 'prop_a')`);
    await waitMs('prop_a', 100);

    expect(notified).to.equal(2);
  });

  it('has all forgotten that was read of traders and partners when the connection is restored: their changes were not heard', async () => {
    await intentDb.query(`select pg_notify('traded', 'a trader'), pg_notify('partners', '')`);
    await until('it is heard', () => traded.at(-1) === 'a trader');
    const before = partnersChanged;
    const [listener] = await listeners();

    await intentDb.query('select pg_terminate_backend($1)', [listener?.pid]);

    await until('all is forgotten', () => traded.at(-1) === null && partnersChanged > before, 5_000);
  });

  it('has caught up once earlier notifications are processed', async () => {
    const id = newIntentId();
    let isNotified = false;
    void settlements.next(id, 2_000).notified.then(() => {
      isNotified = true;
    });
    await notify(id);

    expect([await settlements.caughtUp(), isNotified]).to.deep.equal([true, true]);
  });

  it('resolves a wait that begins after the announcement, once, with the row if that was announced', async () => {
    const [id, other] = [newIntentId(), newIntentId()];
    await notify(`${id} {"words": "of a row"}`);
    await notify(other);
    expect(await settlements.caughtUp()).to.equal(true);

    expect(await settlements.next(id, 5_000).notified).to.equal('{"words": "of a row"}');
    expect(await waitMs(other, 5_000), 'announced without its row').to.be.below(300);
    expect(await waitMs(other, 100), 'a second wait').to.be.at.least(90);
  });

  it('has not caught up while there is no connection', async () => {
    const cut = listenForSettlements('postgres://127.0.0.1:9/nowhere', () => {});

    expect(await cut.caughtUp()).to.equal(false);
    await cut.close();
  });

  it('ends a wait after 2 s without a notification, so that the caller can read the row', async () => {
    expect(await waitMs(newIntentId(), 60_000)).to.be.within(1_950, 2_500);
  });

  it('ends a wait at its timeout, and when it is aborted', async () => {
    const { notified, cancel } = settlements.next(newIntentId(), 60_000);
    cancel();

    expect(await waitMs(newIntentId(), 50)).to.be.within(45, 300);
    await notified;
  });
});
