import { Logger, run } from 'graphile-worker';
import pg from 'pg';
import { webhooks } from '../../../../src/adapters/webhook/index.ts';
import { netvenue } from '../../../../src/venues/network/adapter/index.ts';
import type { Signal } from '../../../../src/venues/network/adapter/signal-types.ts';
import { createChainTables, ENDED, KEEPS_ALL } from './chain-tables.ts';

/*
 * The bare chain, its worker: an order is one commit, the call at the venue, and one commit that notifies; a delivery is
 * one read, the post, and one commit. graphile-worker has the settings of our own runner. Works on DATABASE_URL. With CHAIN=honest the
 * commits of an order also keep what is sent, its event, and the next of its lane.
 */
const CONCURRENCY = 100;
const setting = (name: string) => process.env[`NETVENUE_${name}`] ?? '';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
await createChainTables(pool);
const venue = netvenue({
  minerUrl: setting('MINER_URL'),
  minerKey: setting('MINER_KEY'),
  validatorUrl: setting('VALIDATOR_URL'),
  validatorKey: setting('VALIDATOR_KEY'),
  entityHotkey: setting('ENTITY_HOTKEY'),
});
const posts = webhooks({ allowLoopback: true });
const secrets = [`whsec_${Buffer.alloc(33, 's').toString('base64')}`];

const BEGIN = {
  name: 'begin',
  text: `update chain_orders set state = 'sending' where id = $1 and state = 'queued' returning asked`,
};
const END = {
  name: 'end',
  text: `
    with ended as (
      update chain_orders set state = 'ended', result = $2 where id = $1
    )
    select pg_notify('${ENDED}', $1::text)`,
};
const BEGIN_HONESTLY = {
  name: 'begin_honestly',
  text: `
    update honest_orders
    set state = 'sending', sending_at = now(), sent = asked || jsonb_build_object('order_uuid', id)
    where id = $1 and state = 'queued'
    returning asked`,
};
const END_HONESTLY = {
  name: 'end_honestly',
  text: `
    with ended as (
      update honest_orders set state = 'ended', result = $2 where id = $1 returning lane, position
    ), told as (
      insert into honest_events (order_id, body) values ($1, $2::text)
    ), next as (
      update honest_lanes l
      set head = (
        select o.id from honest_orders o where o.lane = e.lane and o.state = 'queued' and o.position > e.position order by o.position limit 1
      )
      from ended e
      where l.name = e.lane
      returning l.head
    )
    select pg_notify('${ENDED}', $1::text),
      case when n.head is not null then graphile_worker.add_job('bench/chain', json_build_object('id', n.head)) end
    from next n`,
};
const DUE = { name: 'due', text: 'select url, body from chain_events where id = $1 and delivered_at is null' };
const DELIVERED = { name: 'delivered', text: 'update chain_events set delivered_at = now() where id = $1' };

async function place({ id }: { id: string }): Promise<void> {
  const { rows } = await pool.query<{ asked: Omit<Signal, 'order_uuid'> }>({
    ...(KEEPS_ALL ? BEGIN_HONESTLY : BEGIN),
    values: [id],
  });
  const [begun] = rows;
  if (!begun) return;
  const result = await venue.submit({ ...begun.asked, order_uuid: id } as Signal); // as: the bench asks for whole orders
  if (result.kind !== 'accepted') throw new Error(JSON.stringify(result));
  await pool.query({ ...(KEEPS_ALL ? END_HONESTLY : END), values: [id, JSON.stringify(result)] });
}

async function deliver({ id }: { id: string }): Promise<void> {
  const { rows } = await pool.query<{ url: string; body: string }>({ ...DUE, values: [id] });
  const [due] = rows;
  if (!due) return;
  const sent = await posts.send({ deliveryId: id, eventType: 'load', ...due, secrets });
  if (sent.kind === 'fault') throw new Error(sent.fault);
  await pool.query({ ...DELIVERED, values: [id] });
}

await run({
  pgPool: new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 }),
  logger: new Logger(() => () => {}),
  preset: {
    worker: {
      concurrentJobs: CONCURRENCY,
      pollInterval: 500,
      localQueue: { size: CONCURRENCY },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
  taskList: {
    'bench/chain': (payload) => place(payload as { id: string }),
    'bench/chain-deliver': (payload) => deliver(payload as { id: string }),
  },
});
process.stdout.write('the chain is working\n');
