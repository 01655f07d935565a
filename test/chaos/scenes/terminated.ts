import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller, Reply } from '../../support/caller.ts';
import { type Exit, type Running, until } from '../../support/processes.ts';
import { type Audit, auditOrders } from '../audit.ts';
import { allSettled, openStage, placeOne, type Stage, type WorkerProcess } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';

const OUT_WITHIN_MS = 25_000;
const REPEATED_AT_MS = [1_000, 6_000, 12_000];
const WAITING = 10;
const order = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.01 };

type Left = Exit & { ms: number };

/** The result of a stop under load. */
export type Terminated = {
  worker: Left;
  edge: Left;
  /**
   * Responses to the orders executed meanwhile, to the one without a response from the venue, and over a persistent
   * connection.
   */
  replies: Reply[];
  hangingReply: Reply;
  kept: string;
  /** Rows of the queue and of the workers' table after both had exited. */
  left: { locked: number; usedUp: number; registered: number };
  requests: number;
  audit: Audit;
};

/**
 * Signals a worker and the edge to stop, several times, with sends in flight, one of them hanging, and as many behind
 * them.
 */
export async function terminateUnderLoad(): Promise<Terminated> {
  const stage = await openStage({
    workers: 1,
    upstream: { processingMs: 3_000 }, // so that all are still in flight when the signals arrive, on a busy machine too
    settings: { NETVENUE_PATIENCE_MS: '60000', NETVENUE_IN_FLIGHT_MS: '5000', ORDER_DEADLINE_MS: '60000' },
  });
  try {
    const traders = await stage.traders(WAITING + 2);
    const [hanging, last, ...others] = traders as [Caller, Caller, ...Caller[]];
    stage.upstream.faults.add({ kind: 'hang', route: '/miner/api/submit-order', times: 1 });
    const requests = [hanging.post('/v1/orders/netvenue', order, { prefer: 'wait=25' })];
    await sending(stage, 1);
    for (const trader of others) requests.push(trader.post('/v1/orders/netvenue', order));
    const received = placeOverKeptConnection(stage.web.url, last);
    await sending(stage, WAITING + 2);
    await Promise.all(traders.map((trader) => placeOne(trader))); // each behind one that is in flight

    const [worker, edge] = await Promise.all([terminate([...stage.workers][0] as WorkerProcess), terminate(stage.web)]);
    const [hangingReply, ...replies] = (await Promise.all(requests)) as [Reply, ...Reply[]];
    const kept = await received;
    const left = {
      locked: (await stage.rows('select from queue_jobs where locked_by is not null')).length,
      usedUp: (await stage.rows('select from queue_jobs where attempts > 0')).length,
      registered: (await stage.rows('select from worker_processes')).length,
    };
    await stage.startWorker();
    await allSettled(stage, 30_000);
    const audit = await auditOrders(stage);
    return { worker, edge, replies, hangingReply, kept, left, requests: 2 * (WAITING + 2), audit };
  } finally {
    await stage.close();
  }
}

/** Whether both exited in time, and nothing was lost and no attempt used up. */
export function terminationVerdict({ worker, edge, left, requests, audit }: Terminated): Verdict {
  const { orders, lost, doubled, denied, strange } = audit;
  const out = [worker, edge].every(({ code, ms }) => code === 0 && ms <= OUT_WITHIN_MS);
  return {
    promise: 'R4',
    text: 'SIGTERM, repeated at 1, 6 and 12 s, with one send without a response',
    figure: `worker ${seconds(worker.ms)}, web ${seconds(edge.ms)}; ${left.usedUp} attempts used up, ${lost} lost, ${doubled} doubled`,
    bound: 'out in ≤ 25 s, nothing lost, no attempt used up',
    kept: out && left.usedUp + left.locked === 0 && orders === requests && lost + doubled + denied + strange === 0,
  };
}

const sending = ({ rows }: Stage, count: number) =>
  until('sends under way', async () => {
    const sent = await rows('select from intents where sending_at is not null');
    return sent.length >= count || null;
  });

/** Repeats SIGTERM during the shutdown, as platforms do. */
async function terminate(leaving: Running): Promise<Left> {
  const startedAt = performance.now();
  leaving.kill('SIGTERM');
  for (const at of REPEATED_AT_MS) {
    await Promise.race([sleep(at - (performance.now() - startedAt)), leaving.exited]);
    leaving.kill('SIGTERM');
  }
  return { ...(await leaving.exited), ms: Math.round(performance.now() - startedAt) };
}

/** An order over a persistent connection. Resolves with all data received, once the other side has closed it. */
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
