import { setTimeout as sleep } from 'node:timers/promises';
import { killBusiest } from '../kills.ts';
import { underWay } from '../load.ts';
import { control, type MoneyStage } from './money-people.ts';

/** The numbers of a run about money. `kills`: at most. `rejectedMs`: how long workers go on with a key that is rejected. */
export type MoneySize = {
  traders: number;
  atOnce: number;
  workers: number;
  kills: number;
  killEveryMs: number;
  rejectedMs: number;
  seed: number;
};

/** What was done to the service meanwhile. `lost`: intents whose response was lost. */
export type MoneyHarms = { kills: number; lost: number };

const NEW_KEY = 'sk_test_rotated';
const PUMP_MS = 1_500; // the tasks of the crontab, more often
const POLL_MS = 50;

/** Kills workers, and rotates the key once, until the lives end. */
export async function harmMeanwhile(
  money: MoneyStage,
  size: MoneySize,
  lives: Promise<void>,
  begun: () => void,
): Promise<MoneyHarms> {
  const isOpen = underWay(lives);
  const alone = oneAtATime(); // workers are started one after the other
  const countTransfers = () => money.processor.ledger.entries().filter(({ kind }) => kind === 'transfer').length;
  const rotate = async () => {
    while (isOpen() && countTransfers() < size.traders / 8) await sleep(POLL_MS);
    money.processor.rotateKey(NEW_KEY);
    begun();
    await sleep(size.rejectedMs);
    money.stage.settings.PROCESSOR_SECRET_KEY = NEW_KEY;
    await alone(() => replaceWorkers(money));
  };
  const rotated = rotate();
  let kills = 0;
  for (; isOpen() && kills < size.kills; kills += 1) {
    await Promise.race([sleep(size.killEveryMs), lives]);
    if (isOpen()) await alone(() => killOne(money));
  }
  await rotated;
  return { kills, lost: await countReconciled(money) };
}

async function killOne({ stage }: MoneyStage): Promise<void> {
  const { waits } = await killBusiest(stage);
  waits.catch(() => {}); // how long its jobs waited is R2's promise
}

function oneAtATime() {
  let last = Promise.resolve();
  return (work: () => Promise<void>): Promise<void> => {
    last = last.then(work);
    return last;
  };
}

/** Workers with the new key take the place of those whose key the processor rejects. */
async function replaceWorkers({ stage }: MoneyStage): Promise<void> {
  const old = [...stage.workers];
  for (const _ of old) await stage.startWorker();
  for (const { kill } of old) kill('SIGTERM');
}

async function countReconciled({ stage }: MoneyStage): Promise<number> {
  const [row] = await stage.rows<{ n: number }>(
    `select count(*)::integer as n from intents where reconcile_attempts > 0 and kind like 'pay%'`,
  );
  return row?.n ?? 0;
}

/**
 * Queues the tasks of the crontab more often than every minute, and lets the time pass after which money abroad is available and what was
 * paid is read again.
 */
export async function pump({ stage }: MoneyStage, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    await stage.rows(
      `select graphile_worker.add_job(task, job_key := 'pump-' || task)
       from unnest(array['payments/reconcile', 'payouts/reconcile', 'housekeeping/sweep']) task`,
    );
    await stage.rows('update payouts set pay_after = now() where pay_after > now()');
    await stage.rows(
      `update payout_steps set reconciled_at = reconciled_at - interval '7 hours', created_at = created_at - interval '7 hours'
       where step = 'payout' and state = 'done' and coalesce(reconciled_at, created_at) > now() - interval '6 hours'`,
    );
    await sleep(PUMP_MS, undefined, { signal: stopping }).catch(() => {});
  }
}

/** Banks accept most payouts, reject one in eight, and return some that they had paid. What accounts abroad received becomes available. */
export async function bank({ processor }: MoneyStage, seed: number, stopping: AbortSignal): Promise<void> {
  for (let next = 0; !stopping.aborted; await sleep(50)) {
    for (const [id, { isCredited }] of processor.arrivals) if (!isCredited) await control(processor, 'arrival', { id });
    for (; next < processor.events.length; next += 1) {
      const event = processor.events[next];
      if (event?.type !== 'payout.created' || Object(event.data.object).original_payout !== null) continue;
      const id = Object(event.data.object).id;
      await control(processor, 'payout', { id, to: (next + seed) % 8 === 0 ? 'failed' : 'paid' });
      if ((next + seed) % 8 === 1) await control(processor, 'payout', { id, to: 'failed' });
    }
  }
}
