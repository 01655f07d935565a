import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { databaseIsAway } from '../../src/db/conflicts.ts';
import { connectionSlots } from '../../src/db/limits.ts';
import { openPool } from '../../src/db/pool.ts';
import { workingOn } from '../../src/kernel/work.ts';
import { type Address, openAddress } from '../support/address.ts';
import { freshDatabase } from '../support/postgres.ts';
import { until } from '../support/processes.ts';

const one = sql.type(z.object({ one: z.number() }))`select 1 one`;
const slow = sql.unsafe`select pg_sleep(0.3)`;

describe('slots of a pool', () => {
  it('are granted in order, each as soon as the previous work has ended, successfully or not', async () => {
    const slots = connectionSlots(1, 1_000);
    const done: string[] = [];
    const work = (name: string, fails = false) =>
      slots.use(async () => {
        await new Promise((go) => setTimeout(go, 5));
        done.push(name);
        if (fails) throw new Error(name);
      });

    const results = await Promise.allSettled([work('a'), work('b', true), work('c')]);

    expect(done).to.deep.equal(['a', 'b', 'c']);
    expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(slots.waiting()).to.equal(0);
  });

  it('are not waited for longer than the limit, and remain available to other waiters', async () => {
    const slots = connectionSlots(1, 40);
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const first = slots.use(() => release);
    const late = await slots.use(async () => 'late').catch((error: Error) => error);
    const next = slots.use(async () => 'next');
    resolve();
    await first;

    expect(late).to.be.instanceOf(Error);
    expect(databaseIsAway(late)).to.equal(true);
    expect(await next).to.equal('next');
  });

  it('put no time limit on started work, and never run work that waited too long', async () => {
    const slots = connectionSlots(1, 20);
    const ran: string[] = [];
    const take = (name: string, ms: number) =>
      slots.use(async () => {
        await new Promise((go) => setTimeout(go, ms));
        ran.push(name);
      });

    const first = take('first', 10);
    const waited = take('waited', 60);
    const late = take('late', 0).catch(() => 'late');
    const results = await Promise.all([first, waited, late]);
    await new Promise((go) => setImmediate(go));

    expect(results[2]).to.equal('late');
    expect(ran).to.deep.equal(['first', 'waited']);
    expect(slots.waiting()).to.equal(0);
  });

  it('are taken in turns by tenants: one that asks for many delays another by one of them, and not what is done for all', async () => {
    const slots = connectionSlots(1, 1_000);
    const done: string[] = [];
    const use = (tenant: string | undefined, name: string) =>
      workingOn(tenant === undefined ? {} : { tenant }, () =>
        slots.use(async () => {
          await turn();
          done.push(name);
        }),
      );

    const flood = Array.from({ length: 500 }, (_, n) => use('flooding', `flood ${n}`));
    await Promise.all([use('other', 'other'), use(undefined, 'for all'), use('other', 'other again')]);
    const before = [...done];
    await Promise.all(flood);

    expect(before).to.deep.equal(['flood 0', 'other', 'for all', 'flood 1', 'other again']);
    expect(done).to.have.length(503);
  });

  for (const whose of ['tenant', 'task'] as const)
    it(`are not all used by one ${whose}, whose statements may all wait for one lock`, async () => {
      const slots = connectionSlots(10, 40);
      const { promise: release, resolve } = Promise.withResolvers<void>();
      const by = <Result>(name: string, work: () => Promise<Result>) =>
        workingOn({ [whose]: name }, () => slots.use(work));

      const held = Array.from({ length: 10 }, () => by('held', () => release));
      const others = await Promise.all(['other', 'third'].map((name) => by(name, async () => name)));
      const late = await Promise.allSettled(held.slice(8));
      resolve();
      await Promise.all(held.slice(0, 8));

      expect(others).to.deep.equal(['other', 'third']);
      expect(late.map(({ status }) => status)).to.deep.equal(Array(2).fill('rejected'));
      expect(await by('held', async () => 'later'), 'they have their part again').to.equal('later');
      expect(slots.waiting()).to.equal(0);
    });

  it('are left to others by those of a tenant that have waited too long', async () => {
    const slots = connectionSlots(1, 40);
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const flooding = (work: () => Promise<unknown>) => workingOn({ tenant: 'flooding' }, () => slots.use(work));
    const held = flooding(() => release);
    const late = Promise.allSettled(Array.from({ length: 9 }, () => flooding(async () => expect.fail('It was run'))));

    expect(slots.waiting()).to.equal(9);
    await late;
    expect(slots.waiting()).to.equal(0);
    const next = workingOn({ tenant: 'other' }, () => slots.use(async () => 'next'));
    resolve();
    await held;

    expect(await next).to.equal('next');
  });
});

describe('a pool whose database becomes unavailable', () => {
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

  it('leaves no query pending: every query ends, and the next ones succeed when it is back', async () => {
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

  it('reports the number of waiters, and runs no more at once than it has slots', async () => {
    const db = await openPool(database.url, 2, () => {});
    const running = Array.from({ length: 5 }, () => db.query(slow));
    await new Promise((go) => setImmediate(go));

    expect(db.state().waitingClients).to.equal(3);
    await Promise.all(running);
    expect(db.state().idleConnections).to.be.within(1, 2);
    await db.end();
  });
});
