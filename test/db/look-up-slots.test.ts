import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pino from 'pino';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Reply } from '../../src/adapters/http.ts';
import { readConfig } from '../../src/config.ts';
import { lookUpSlots } from '../../src/db/look-up-slots.ts';
import { openPool } from '../../src/db/pool.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import { goByDatabaseTime } from '../../src/kernel/work.ts';
import { openMetrics } from '../../src/metrics/registry.ts';
import { openUpstreams } from '../../src/runtime/upstreams.ts';
import { lookUpsIn } from '../../src/venues/network/adapter/look-ups.ts';
import { freshDatabase } from '../support/postgres.ts';
import { testSettings } from '../support/service.ts';

const RESPONSE: Reply = { kind: 'response', status: 200, headers: {}, text: '{}' };
const LOST: Reply = { kind: 'lost', why: 'ETIMEDOUT' };

describe('look-ups at a miner', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pools: Awaited<ReturnType<typeof openPool>>[];
  before(async () => {
    database = await freshDatabase();
    pools = await Promise.all([1, 2].map(() => openPool(database.url, 2, () => {})));
  });
  after(async () => {
    await Promise.all(pools.map((db) => db.end()));
    await database.drop();
  });
  const slotsOf = (name: string, process = 0) => lookUpSlots(pools[process] as (typeof pools)[0], name, 1);

  it('are never more at once than the threads that are kept for them, over all processes and clients', async () => {
    const miner = await openMiner();
    const urls = { minerUrl: miner.url, validatorUrl: miner.url };
    const config = readConfig(testSettings(database.url, urls, { NETVENUE_MINER_THREADS: '10' }));
    const processes = await Promise.all(
      pools.map((db) => openUpstreams({ config, db, metrics: openMetrics(), log: pino({ level: 'silent' }) })),
    );

    const found = await Promise.all(
      Array.from({ length: 24 }, (_, n) => processes[n % 2]?.netvenue().orderStatus(newIntentId())),
    );

    expect(found.map((result) => result?.kind)).to.include('absent');
    expect(miner.most()).to.equal(1);
    miner.close();
  });

  it('give a slot back after a turn where the time of the process is set back meanwhile, as by a failover', async () => {
    const slots = slotsOf('set back');
    let asked = 0;
    const take = (forMs: number) => {
      asked += 1;
      return slots.take(forMs);
    };
    const sendLookUp = lookUpsIn({ ...slots, take });
    const respond = async (): Promise<Reply> => {
      goByDatabaseTime(600_000);
      await sleep(200);
      return RESPONSE;
    };

    await Promise.all(Array.from({ length: 12 }, () => sendLookUp(respond))).finally(() => goByDatabaseTime(0));

    expect(asked).to.be.above(1);
  });

  it('are sent one after the other, not at one moment, so that each proves for itself; many do not wait for that', async () => {
    const sendLookUp = lookUpsIn(slotsOf('apart'));
    const spanOf = async (count: number) => {
      const at: number[] = [];
      const respond = async (): Promise<Reply> => {
        at.push(performance.now());
        return RESPONSE;
      };
      await Promise.all(Array.from({ length: count }, () => sendLookUp(respond)));
      return (at.at(-1) ?? 0) - (at[0] ?? 0);
    };

    expect(await spanOf(5)).to.be.at.least(4 * 45);
    expect(await spanOf(50)).to.be.below(50 * 45);
  });

  it('share a slot within a process: it is asked for once for many', async () => {
    const slots = slotsOf('b');
    let asked = 0;
    const take = (forMs: number) => {
      asked += 1;
      return slots.take(forMs);
    };
    const sendLookUp = lookUpsIn({ ...slots, take });

    await Promise.all(Array.from({ length: 20 }, () => sendLookUp(async () => RESPONSE)));

    expect(asked).to.be.below(20);
  });

  it('give their slot back, unless they had no response and may still be outstanding', async () => {
    const given: string[] = [];
    const slots = {
      ...{ count: 1, take: async () => 'lease', hold: async () => true },
      release: async (lease: string) => void given.push(lease),
    };

    await lookUpsIn(slots)(async () => LOST);
    expect(given).to.deep.equal([]);
    await lookUpsIn({ ...slots, release: async () => Promise.reject(new Error('away')) })(async () => RESPONSE);
    await lookUpsIn({ ...slots, count: 2 })(async () => RESPONSE);

    expect(given).to.deep.equal(['lease']);
  });

  it('give it back a second later if their connection was closed: such a request waits nowhere any more', async () => {
    const given: number[] = [];
    const slots = {
      ...{ count: 1, take: async () => 'lease', hold: async () => true },
      release: async () => void given.push(performance.now()),
    };
    const startedAt = performance.now();

    await lookUpsIn(slots)(async () => ({ kind: 'lost', why: 'ECONNRESET' }));
    const atOnce = given.length;
    await new Promise((resolve) => setTimeout(resolve, 1_200));

    expect(atOnce).to.equal(0);
    expect(given.map((at) => at - startedAt)).to.satisfy(([ms = 0]) => ms >= 990);
  });

  it('hold their slot while the miner is silent, however long, and no other is sent until it responds', async () => {
    const [first, second] = [lookUpsIn(slotsOf('c'), 50), lookUpsIn(slotsOf('c', 1), 50)];
    const { promise: reply, resolve: respond } = Promise.withResolvers<Reply>();
    const ofSlot = sql.fragment`where upstream = 'look-ups:c'`;

    const silent = await first(() => reply);
    await pools[0]?.query(sql.unsafe`update upstream_slots set held_until = now() + interval '6 seconds' ${ofSlot}`);
    const [meanwhile] = await Promise.all([
      second(async () => expect.fail('It was sent')),
      new Promise((resolve) => setTimeout(resolve, 4_500)),
    ]);
    const left = z.object({ s: z.number() });
    const heldS = await pools[0]?.oneFirst(
      sql.type(left)`select extract(epoch from held_until - now())::float8 s from upstream_slots ${ofSlot}`,
    );
    respond(RESPONSE);
    const after = await second(async () => RESPONSE);

    expect([silent.kind, meanwhile.kind, after.kind]).to.deep.equal(['lost', 'unsent', 'response']);
    expect(heldS).to.be.above(10);
  }).timeout(15_000);

  it('are not sent without a slot, nor while the database cannot be reached', async () => {
    const release = async () => {};
    const hold = async () => false;
    const send = async () => expect.fail('It was sent');

    const replies = await Promise.all([
      lookUpsIn({ count: 1, take: async () => null, hold, release })(send),
      lookUpsIn({ count: 1, take: () => Promise.reject(new Error('away')), hold, release })(send),
    ]);

    expect(replies.map(({ kind }) => kind)).to.deep.equal(['unsent', 'unsent']);
  });

  it('find the slot of a killed process free after its time, and not before', async () => {
    const other = slotsOf('d', 1);
    const killed = await slotsOf('d').take(60_000);
    expect(await other.take(60_000)).to.equal(null);
    await pools[0]?.query(sql.unsafe`update upstream_slots set held_until = now() - interval '1 second'`);

    const lease = await other.take(60_000);

    expect(lease).to.be.a('string').and.not.equal(killed);
    await slotsOf('d').release(String(killed));
    expect(await slotsOf('d').take(60_000)).to.equal(null);
  });
});

/** A miner that knows no order, and counts the requests it has at once. */
async function openMiner() {
  let now = 0;
  let most = 0;
  const server = createServer((_, response) => {
    now += 1;
    most = Math.max(most, now);
    setTimeout(() => {
      now -= 1;
      response
        .writeHead(404, { 'content-type': 'application/json' })
        .end('{"status":"not_found","message":"Order not found"}');
    }, 5);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => void server.close().closeAllConnections();
  return { url: `http://127.0.0.1:${port}`, most: () => most, close };
}
