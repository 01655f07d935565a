import { expect } from 'chai';
import pg from 'pg';
import { sql } from 'slonik';
import { databaseRejected } from '../../src/db/conflicts.ts';
import { openPool } from '../../src/db/pool.ts';
import { listenForSettlements } from '../../src/db/settled.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import { type Address, openAddress } from '../support/address.ts';
import { until } from '../support/processes.ts';
import { openReplicated, type Replicated } from '../support/replicated.ts';

/** An address that leads to a standby at first, as a name does that is resolved too early after a failover. Its connections stay open. */
describe('an address that has led to a standby', function () {
  this.timeout(60_000);
  let replicated: Replicated;
  let address: Address;
  let url: string;
  before(async () => {
    replicated = await openReplicated();
  });
  beforeEach(async () => {
    const { host, port } = new pg.Client(replicated.standbyUrl); // which reads the path of a socket in it
    address = await openAddress(`${host}/.s.PGSQL.${port}`);
    url = replicated.url.replace(/:\d+/, `:${address.port}`);
  });
  afterEach(() => address.close());
  after(() => replicated.drop());

  const leadToPrimary = () => address.leadTo(new URL(replicated.url).port);

  async function askStandby(text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: replicated.standbyUrl });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(text).finally(() => client.end());
    return rows;
  }

  it('is followed to the primary by every connection of a pool, also to read, once a write has met the standby', async () => {
    const db = await openPool(url, 4, () => {});
    const write = () => db.query(sql.unsafe`select pg_notify('settled', '')`);
    const isStandby = () =>
      Promise.all([1, 2, 3, 4].map(() => db.oneFirst(sql.unsafe`select pg_is_in_recovery() from pg_sleep(0.1)`)));
    const before = await isStandby();
    leadToPrimary();

    const met = await write().then(
      () => null,
      (error: unknown) => error,
    );
    const after = await isStandby();
    await write();
    await db.end();

    expect(before).to.deep.equal([true, true, true, true]);
    expect(databaseRejected(met)).to.equal(true);
    expect(after).to.deep.equal([false, false, false, false]);
  });

  it('is followed to the primary by the connection that listens, which leaves none behind', async () => {
    const settlements = listenForSettlements(url, () => {});
    await new Promise((passed) => setTimeout(passed, 2_000));
    const open = await askStandby(`select from pg_stat_activity where application_name = 'settlements'`);
    leadToPrimary();
    await until('the listener', () => settlements.isListening() || null);
    const id = newIntentId();
    const { notified } = settlements.next(id, 5_000);
    const left = await askStandby(`select from pg_stat_activity where application_name = 'settlements'`);
    await settlements.close();
    await notified;

    expect(open.length).to.be.at.most(1);
    expect(left).to.deep.equal([]);
  });
});
