import { type RollUpDeps, rollUp } from '../../src/capabilities/admin/figures/commands.ts';
import type { Task } from '../../src/intents/task.ts';

const figures: Task<unknown, RollUpDeps> = (_payload, deps) => rollUp(deps);

export default figures;
