import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Caller, Reply } from '../support/caller.ts';
import { type Exit, type Running, until } from '../support/processes.ts';
import { auditOrders } from './audit.ts';
import { allSettled, openStage, placeOne, type Stage, type WorkerProcess } from './stage.ts';

const OUT_WITHIN_MS = 25_000;
const REPEATED_AT_MS = [1_000, 6_000, 12_000];
const WAITING = 10;
const order = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.01 };

type Left = Exit & { ms: number };

describe('processes that are told to stop under load, several times', function () {
  this.timeout(90_000);
  let stage: Stage;
  let worker: Left;
  let edge: Left;
  let replies: Reply[];
  let hung: Reply;
  let kept: string;

  before(async () => {
    stage = await openStage({
      workers: 1,
      party: { processingMs: 1_000 },
      settings: { NETVENUE_PATIENCE_MS: '60000', NETVENUE_IN_FLIGHT_MS: '5000', ORDER_DEADLINE_MS: '60000' },
    });
    const traders = await stage.traders(WAITING + 2);
    const [silent, last, ...others] = traders as [Caller, Caller, ...Caller[]];
    stage.party.faults.add({ kind: 'hang', route: '/miner/api/submit-order', times: 1 });
    const asked = [silent.post('/v1/orders/netvenue', order, { prefer: 'wait=25' })];
    await sending(stage, 1);
    for (const trader of others) asked.push(trader.post('/v1/orders/netvenue', order));
    const received = placeOverKeptConnection(stage.web.url, last);
    await sending(stage, WAITING + 2);
    await Promise.all(traders.map((trader) => placeOne(trader))); // each behind one that is under way

    [worker, edge] = await Promise.all([terminate([...stage.workers][0] as WorkerProcess), terminate(stage.web)]);
    [hung, ...replies] = (await Promise.all(asked)) as [Reply, ...Reply[]];
    kept = await received;
    console.log(
      `      out after ${worker.ms} ms (worker, with one silent send) and ${edge.ms} ms (edge, with one waiting)`,
    );
  });
  after(() => stage.close());

  it('leave in time with code 0', () => {
    expect([worker.code, edge.code]).to.deep.equal([0, 0]);
    expect(worker.ms).to.be.within(10_000, OUT_WITHIN_MS);
    expect(edge.ms).to.be.within(10_000, OUT_WITHIN_MS);
  });

  it('answer what was under way, and where to poll for what is open', () => {
    expect(replies.map(({ status }) => status)).to.deep.equal(Array(WAITING).fill(200));
    expect(kept).to.match(/^HTTP\/1.1 200 .*Connection: close.*"status":"accepted"/s);
    expect(hung).to.deep.include({ status: 202 });
    expect(hung.headers.location).to.match(/^\/v1\/orders\/netvenue\//);
  });

  it('leave no job locked and burn no attempt', async () => {
    expect(await stage.rows('select from graphile_worker._private_jobs where locked_by is not null')).to.be.empty;
    expect(await stage.rows('select from graphile_worker._private_jobs where attempts > 0')).to.be.empty;
    expect(await stage.rows('select from worker_processes')).to.be.empty;
  });

  it('lose nothing: the next worker carries out what was left', async () => {
    await stage.startWorker();
    await allSettled(stage, 30_000);

    const audit = await auditOrders(stage);
    expect(audit).to.include({ orders: 2 * (WAITING + 2), lost: 0, doubled: 0, denied: 0, strange: 0 });
    expect(audit.states).to.deep.equal({ succeeded: 2 * (WAITING + 2) - 1, failed: 1 }); // the silent one was never carried out
  });
});

const sending = ({ rows }: Stage, count: number) =>
  until('sends under way', async () => {
    const sent = await rows('select from intents where sending_at is not null');
    return sent.length >= count || null;
  });

/** SIGTERM now and again while it takes its time, as platforms do. */
async function terminate(leaving: Running): Promise<Left> {
  const startedAt = performance.now();
  leaving.kill('SIGTERM');
  for (const at of REPEATED_AT_MS) {
    await Promise.race([sleep(at - (performance.now() - startedAt)), leaving.exited]);
    leaving.kill('SIGTERM');
  }
  return { ...(await leaving.exited), ms: Math.round(performance.now() - startedAt) };
}

/** An order over a connection that its caller keeps. Resolves with all that came over it, once the other side has ended it. */
async function placeOverKeptConnection(url: string, { key }: Caller): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  const body = JSON.stringify(order);
  const head = [
    'POST /v1/orders/netvenue HTTP/1.1',
    'Host: service',
    `Authorization: Bearer ${key}`,
    'Trader-ID: 1',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return text(socket);
}
