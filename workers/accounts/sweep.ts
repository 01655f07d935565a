import { sweepAccounts } from '../../src/accounts/prop/outcomes.ts';
import { listUnserved } from '../../src/accounts/prop/queries.ts';
import type { Task } from '../../src/intents/task.ts';

const MOST = 1_000; // looks queued at once: the network's validator is shared with traders
const UNSERVED_MINUTES = 10;

/** Queues a look at every prop account that is due, and warns of payments nobody has anything for. */
const sweep: Task<unknown> = async (_payload, { db, config, log }) => {
  await sweepAccounts(db, config.LIFECYCLE_SWEEP_MS, MOST);
  for (const { payment_id, prop_account_id, safe_action } of await listUnserved(db, UNSERVED_MINUTES))
    log.error({ alert: 'paid_and_unserved', payment_id, prop_account_id, safe_action }, 'operators must look');
};

export default sweep;
