import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { databaseIsAway } from '../../src/db/conflicts.ts';
import { openPlaces } from '../../src/db/places.ts';
import { openPool } from '../../src/db/pool.ts';
import { type Address, openAddress } from '../support/address.ts';
import { freshDatabase } from '../support/postgres.ts';
import { until } from '../support/processes.ts';

const one = sql.type(z.object({ one: z.number() }))`select 1 one`;
const slow = sql.unsafe`select pg_sleep(0.3)`;

describe('places in a pool', () => {
  it('are taken in order, each by the next as soon as its work has ended, well or badly', async () => {
    const places = openPlaces(1, 1_000);
    const done: string[] = [];
    const work = (name: string, fails = false) =>
      places.use(async () => {
        await new Promise((go) => setTimeout(go, 5));
        done.push(name);
        if (fails) throw new Error(name);
      });

    const results = await Promise.allSettled([work('a'), work('b', true), work('c')]);

    expect(done).to.deep.equal(['a', 'b', 'c']);
    expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(places.waiting()).to.equal(0);
  });

  it('are not waited for longer than told, and are given to those who still wait', async () => {
    const places = openPlaces(1, 40);
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const first = places.use(() => release);
    const late = await places.use(async () => 'late').catch((error: Error) => error);
    const next = places.use(async () => 'next');
    resolve();
    await first;

    expect(late).to.be.instanceOf(Error);
    expect(databaseIsAway(late)).to.equal(true);
    expect(await next).to.equal('next');
  });
});

describe('a pool whose database goes away', () => {
  let address: Address;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let socket: string;
  before(async () => {
    database = await freshDatabase();
    const { host, port } = database.connection;
    socket = `${host}/.s.PGSQL.${port}`;
    address = await openAddress(socket);
  });
  after(async () => {
    await address.close();
    await database.drop();
  });

  it('leaves no one waiting for ever: every query ends, and the next ones succeed when it is back', async () => {
    const { user, database: name } = database.connection;
    const db = await openPool(`postgres://${user}@127.0.0.1:${address.port}/${name}`, 3, () => {});
    const running = Promise.allSettled(Array.from({ length: 9 }, () => db.query(slow)));
    address.leadTo('/nowhere');
    address.cut();
    await running;
    await until('no connection left', () =>
      Object.values(db.state()).every((value) => value === 0 || value === 'ACTIVE'),
    );
    const during = await Promise.allSettled(Array.from({ length: 30 }, () => db.query(one)));
    address.leadTo(socket);

    const after = await Promise.all(Array.from({ length: 9 }, () => db.oneFirst(one)));

    expect(during.map(({ status }) => status)).to.deep.equal(during.map(() => 'rejected'));
    expect(after).to.deep.equal(after.map(() => 1));
    expect(db.state().waitingClients).to.equal(0);
    await db.end();
  });

  it('says how many wait, and lets no more in at once than it has places', async () => {
    const db = await openPool(database.url, 2, () => {});
    const running = Array.from({ length: 5 }, () => db.query(slow));
    await new Promise((go) => setImmediate(go));

    expect(db.state().waitingClients).to.equal(3);
    await Promise.all(running);
    expect(db.state().idleConnections).to.be.within(1, 2);
    await db.end();
  });
});
