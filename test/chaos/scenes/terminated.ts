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

/** What a stop under load came to. */
export type Terminated = {
  worker: Left;
  edge: Left;
  /** Answers of those whose order was carried out meanwhile, of the one the venue never answered, and over a kept connection. */
  replies: Reply[];
  hung: Reply;
  kept: string;
  /** Rows of the queue and of the workers' table after both had left. */
  left: { locked: number; burnt: number; registered: number };
  asked: number;
  audit: Audit;
};

/** Tells a worker and the edge to stop, several times, with sends under way, one of them silent, and as many behind them. */
export async function terminateUnderLoad(): Promise<Terminated> {
  const stage = await openStage({
    workers: 1,
    party: { processingMs: 1_000 },
    settings: { NETVENUE_PATIENCE_MS: '60000', NETVENUE_IN_FLIGHT_MS: '5000', ORDER_DEADLINE_MS: '60000' },
  });
  try {
    const traders = await stage.traders(WAITING + 2);
    const [silent, last, ...others] = traders as [Caller, Caller, ...Caller[]];
    stage.party.faults.add({ kind: 'hang', route: '/miner/api/submit-order', times: 1 });
    const asked = [silent.post('/v1/orders/netvenue', order, { prefer: 'wait=25' })];
    await sending(stage, 1);
    for (const trader of others) asked.push(trader.post('/v1/orders/netvenue', order));
    const received = placeOverKeptConnection(stage.web.url, last);
    await sending(stage, WAITING + 2);
    await Promise.all(traders.map((trader) => placeOne(trader))); // each behind one that is under way

    const [worker, edge] = await Promise.all([terminate([...stage.workers][0] as WorkerProcess), terminate(stage.web)]);
    const [hung, ...replies] = (await Promise.all(asked)) as [Reply, ...Reply[]];
    const kept = await received;
    const left = {
      locked: (await stage.rows('select from graphile_worker._private_jobs where locked_by is not null')).length,
      burnt: (await stage.rows('select from graphile_worker._private_jobs where attempts > 0')).length,
      registered: (await stage.rows('select from worker_processes')).length,
    };
    await stage.startWorker();
    await allSettled(stage, 30_000);
    const audit = await auditOrders(stage);
    return { worker, edge, replies, hung, kept, left, asked: 2 * (WAITING + 2), audit };
  } finally {
    await stage.close();
  }
}

/** Whether both were out in time, and nothing was lost or burnt. */
export function terminationVerdict({ worker, edge, left, asked, audit }: Terminated): Verdict {
  const { orders, lost, doubled, denied, strange } = audit;
  const out = [worker, edge].every(({ code, ms }) => code === 0 && ms <= OUT_WITHIN_MS);
  return {
    promise: 'R4',
    text: 'SIGTERM, repeated at 1, 6 and 12 s, with one send that is never answered',
    figure: `worker ${seconds(worker.ms)}, web ${seconds(edge.ms)}; ${left.burnt} attempts burnt, ${lost} lost, ${doubled} doubled`,
    bound: 'out in ≤ 25 s, nothing lost, no attempt burnt',
    kept: out && left.burnt + left.locked === 0 && orders === asked && lost + doubled + denied + strange === 0,
  };
}

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
