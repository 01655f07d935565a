import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase, type Row, WAITING } from '../support/intent-database.ts';
import { until } from '../support/processes.ts';
import { slotsOf } from '../support/slots.ts';

const PER_MINUTE = 5;
const FOR_EXITS = 2;

describe('the pace of what an upstream takes in a minute', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, upstream_slots, paces cascade; delete from queue_jobs'));
  const { claimed } = slotsOf(() => intentDb);

  const begin = async ({ id, fence }: Pick<Row, 'id' | 'fence'>, isExit: boolean, slots = 100) => {
    const [row] = await intentDb.query<{ begun: string }>(
      `select begin_sending_within($1, $2, '{}', 'miner:x', $3, 30, 0, $4, 'signals:t', $5, $6) as begun`,
      [id, fence, slots, isExit, PER_MINUTE, FOR_EXITS],
    );
    return row?.begun;
  };
  const send = async (isExit: boolean) => {
    const row = await claimed();
    return { ...row, was: await begin(row, isExit) };
  };
  const passes = (seconds: number) =>
    intentDb.query(
      `update paces set taken = array(select at - make_interval(secs => ${seconds}) from unnest(taken) as at)`,
    );
  const waitOf = async (id: string) => (await intentDb.jobs()).find(({ intent_id }) => intent_id === id)?.in_ms ?? 0;

  it('leaves the last to exits; what is beyond it waits until a minute after the first', async () => {
    const entries = [await send(false), await send(false), await send(false), await send(false)];
    await passes(20);
    const exits = [await send(true), await send(true), await send(true)];

    expect(entries.map(({ was }) => was)).to.deep.equal(['sent', 'sent', 'sent', 'waiting']);
    expect(exits.map(({ was }) => was)).to.deep.equal(['sent', 'sent', 'waiting']);
    const [, , over] = exits;
    expect(await intentDb.row(over?.id ?? '')).to.deep.include({ state: 'queued', sending_at: null });
    expect(await waitOf(over?.id ?? '')).to.be.within(38_000, 43_000);
  });

  it('counts the first of two transactions that send at once, too', async () => {
    const [one, other] = [await intentDb.session(), await intentDb.session()];
    await one.query('begin');
    await one.query(`select spend_pace('signals:t', 2)`);

    const again = other.query(`select spend_pace('signals:t', 1)`);
    await until('the other one waits', async () => (await intentDb.query(WAITING)).length > 0 || null);
    await one.query('commit');
    await again;

    expect(await intentDb.query('select cardinality(taken) as count from paces')).to.deep.equal([{ count: 3 }]);
  });

  it('does not keep what waits for it beyond its deadline', async () => {
    for (let n = 0; n < PER_MINUTE; n++) await send(true);
    const one = await claimed();
    await intentDb.query(`update intents set deadline_at = now() + interval '10 seconds' where id = $1`, [one.id]);

    expect(await begin(one, true)).to.equal('waiting');

    expect(await waitOf(one.id)).to.be.within(8_000, 10_000);
  });

  it('is awaited by orders and edits of the same trader that were not sent', async () => {
    const of = (kind: string, trader = 't') => item({ kind, lane: `netvenue:${trader}:BTCUSDC` });
    const [sent, ...others] = [of('network/place'), of('network/place'), of('network/edit'), of('network/cancel')];
    await intentDb.accept(sent, ...others, of('network/place', 't2'));
    const { fence = 0 } = (await intentDb.claim(sent.id)) ?? {};
    await intentDb.beginSending(sent.id, fence);

    expect(await intentDb.query(`select unsent_entries('t')::integer as count`)).to.deep.equal([{ count: 2 }]);
  });

  it('goes on with what has waited, in the order of time', async () => {
    for (let n = 0; n < 3; n++) await send(false);
    const waiting = await send(false);
    await passes(63);

    const again = (await intentDb.claim(waiting.id)) as Row;

    expect(await begin(again, false)).to.equal('sent');
  });

  it('belongs to one trader: what is sent for another counts and is returned only there', async () => {
    const taken = () => intentDb.query('select name, cardinality(taken) as n from paces order by name');

    await intentDb.query(`select spend_pace('signals:t', 1)::text`);
    await intentDb.query(`select spend_pace('signals:t', 1)::text, spend_pace('signals:u', 2)::text`);
    const spent = await taken();
    await intentDb.query(`select return_pace('signals:u', (select max(at) from paces p, unnest(p.taken) at))::text`);

    const [t, u] = ['signals:t', 'signals:u'];
    expect(spent).to.deep.equal([
      { name: t, n: 2 },
      { name: u, n: 2 },
    ]);
    expect(await taken()).to.deep.equal([
      { name: t, n: 2 },
      { name: u, n: 1 },
    ]);
  });

  it('goes on at once where the clock of the server was set back', async () => {
    for (let n = 0; n < 3; n++) await send(false);
    await passes(-3_600);

    expect((await send(false)).was).to.equal('sent');
  });

  it('leaves out what is over once that is as old again, so that most signals add to it and change nothing else', async () => {
    const sent: number[] = [];
    for (const later of [0, 100, 70, 100, 30]) {
      await passes(later);
      await intentDb.query(`select spend_pace('signals:t', 2)`);
      const [row] = await intentDb.query<{ n: number }>('select cardinality(taken) as n from paces');
      sent.push(row?.n ?? 0);
    }

    expect(sent).to.deep.equal([2, 4, 2, 4, 4]);
  });

  it('is not used up by what waits for a slot, and frees the slot of what waits for it', async () => {
    const holder = await claimed();
    await begin(holder, false, 1);
    const waiting = await claimed();
    expect(await begin(waiting, false, 1)).to.equal('waiting');
    expect(await intentDb.query('select cardinality(taken) as n from paces')).to.deep.equal([{ n: 1 }]);

    await intentDb.query(`select spend_pace('signals:t', 4)`);
    await intentDb.settle(holder.id, holder.fence); // the slot is handed over
    const again = (await intentDb.claim(waiting.id)) as Row;
    expect(await begin(again, false, 1)).to.equal('waiting');

    expect(await intentDb.query('select 1 from upstream_slots where intent_id is not null')).to.deep.equal([]);
  });

  it('does not count what never left, but what was rejected without an effect', async () => {
    const traded = async () => {
      const one = item({ request: { trader: 't' } });
      await intentDb.accept(one);
      return (await intentDb.claim(one.id)) as Row;
    };
    const retry = ({ id, fence }: Row, neverLeft: boolean) =>
      intentDb.query(`select retry_intent($1, $2, 0, '{"problem":{"code":"VENUE_UNREACHABLE"}}', $3)`, [
        ...[id, fence, neverLeft],
      ]);
    const putBack = async (row: Row, neverLeft: boolean) => {
      await begin(row, true);
      await retry(row, neverLeft);
    };
    const counted = async () =>
      (await intentDb.query<{ n: number }>(`select cardinality(taken) as n from paces where name = 'signals:t'`))[0]?.n;

    for (let n = 0; n < PER_MINUTE; n++) await putBack(await traded(), true);
    expect(await counted()).to.equal(0);
    await putBack(await traded(), false);
    await putBack(await traded(), true);
    expect(await counted()).to.equal(1);

    const earlier = await traded();
    await begin(earlier, true);
    await putBack(await traded(), false);
    await retry(earlier, true);
    expect(await counted()).to.equal(2);
  });

  it('is exact, whoever sends at once', async () => {
    const sessions = await Promise.all(Array.from({ length: 6 }, () => intentDb.session()));
    const rows: Row[] = [];
    while (rows.length < 12) rows.push(await claimed());

    const begun = await Promise.all(
      rows.map(async ({ id, fence }, n) => {
        const [row] =
          (await sessions[n % 6]?.query<{ begun: string }>(
            `select begin_sending_within($1, $2, '{}', 'miner:x', 100, 30, 0, true, 'signals:t', $3, $4) as begun
           from lock_paces(array['signals:t'])`,
            [id, fence, PER_MINUTE, FOR_EXITS],
          )) ?? [];
        return row?.begun;
      }),
    );

    expect(begun.filter((was) => was === 'sent')).to.have.length(PER_MINUTE);
  });
});
