import { type SweepDeps, sweepAccounts } from '../../src/capabilities/accounts/prop/sync.ts';
import type { Task } from '../../src/intents/task.ts';

const sweep: Task<unknown, SweepDeps> = (_payload, deps) => sweepAccounts(deps);

export default sweep;
