import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Caller, Reply } from '../support/caller.ts';
import { type Running, until } from '../support/processes.ts';
import { auditOrders } from './audit.ts';
import { allSettled, openStage, placeOne, type Stage, type WorkerProcess } from './stage.ts';

const OUT_WITHIN_MS = 25_000;
const REPEATED_AT_MS = [1_000, 6_000, 12_000];

describe('processes that are told to stop under load, several times', function () {
  this.timeout(90_000);
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage({
      workers: 1,
      party: { processingMs: 300 },
      settings: { NETVENUE_PATIENCE_MS: '60000', NETVENUE_IN_FLIGHT_MS: '5000', ORDER_DEADLINE_MS: '60000' },
    });
  });
  afterEach(() => stage.close());

  it('a worker leaves in time with code 0, loses nothing and burns no attempt', async () => {
    const [leaving] = [...stage.workers] as [WorkerProcess];
    const traders = await stage.traders(20);
    stage.party.faults.add({ kind: 'hang', route: '/miner/api/submit-order', times: 1 });
    await Promise.all([...traders, ...traders].map((trader) => placeOne(trader)));
    await until(
      'sends under way',
      async () => (await stage.rows(`select from intents where sending_at is not null`))[0],
    );

    const left = await terminate(leaving);
    const orphaned = await stage.rows('select from graphile_worker._private_jobs where locked_by is not null');
    const burnt = await stage.rows('select attempts, last_error from graphile_worker._private_jobs where attempts > 0');
    await stage.startWorker();
    await allSettled(stage, 30_000);

    const audit = await auditOrders(stage);
    console.log(`      the worker was out after ${left.ms} ms; ${JSON.stringify(audit)}`);
    expect(left).to.include({ code: 0, signal: null });
    expect(left.ms).to.be.within(REPEATED_AT_MS[1] ?? 0, OUT_WITHIN_MS); // the hung send kept it past the second signal
    expect(orphaned, 'jobs still locked').to.be.empty;
    expect(burnt, 'jobs with attempts').to.be.empty;
    expect(audit).to.include({ orders: 40, lost: 0, doubled: 0, denied: 0, strange: 0 });
    expect(audit.states).to.deep.equal({ succeeded: 39, failed: 1 }); // the hung one was never carried out
  });

  it('the edge answers the requests under way, takes no new ones, and leaves in time with code 0', async () => {
    const traders = await stage.traders(10);
    const asked = traders.map((trader) =>
      trader.post('/v1/orders/netvenue', { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.01 }),
    );
    const kept = await placeOverKeptConnection(stage.web.url, traders[0] ?? expect.fail());
    await until('all accepted', async () => (await stage.rows('select from intents')).length === 11 || null);

    const leaving = terminate(stage.web);
    const replies: Reply[] = await Promise.all(asked);
    const left = await leaving;
    const late = await placeOne(traders[0] ?? expect.fail()).catch((error: NodeJS.ErrnoException) => error.code);

    console.log(`      the edge was out after ${left.ms} ms`);
    expect(left).to.include({ code: 0, signal: null });
    expect(left.ms).to.be.at.most(OUT_WITHIN_MS);
    expect(replies.map(({ status }) => status)).to.deep.equal(Array(10).fill(200));
    expect(await kept.received).to.match(/^HTTP\/1.1 200 .*Connection: close.*"status":"accepted"/s);
    expect(late).to.equal('ECONNREFUSED');
    expect(await auditOrders(stage)).to.include({ orders: 11, lost: 0, doubled: 0, denied: 0 });
  });
});

/** SIGTERM now and again while it takes its time, as platforms do. */
async function terminate(leaving: Running) {
  const startedAt = performance.now();
  leaving.kill('SIGTERM');
  let out = false;
  const exited = leaving.exited.finally(() => {
    out = true;
  });
  for (const at of REPEATED_AT_MS) {
    await Promise.race([sleep(at - (performance.now() - startedAt)), exited]);
    if (!out) leaving.kill('SIGTERM');
  }
  return { ...(await exited), ms: Math.round(performance.now() - startedAt) };
}

/** An order over a connection that its caller does not close. `received`: all that came over it, once the other side has. */
async function placeOverKeptConnection(url: string, { key }: Caller): Promise<{ received: Promise<string> }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  const body = JSON.stringify({ trade_pair: 'ETHUSDC', order_type: 'LONG', leverage: 0.01 });
  const head = [
    'POST /v1/orders/netvenue HTTP/1.1',
    'Host: service',
    `Authorization: Bearer ${key}`,
    'Trader-ID: 0',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return { received: text(socket) };
}
