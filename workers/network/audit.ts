import type { Task } from '../../src/intents/task.ts';
import { type AuditDeps, auditExits } from '../../src/venues/network/orders/audit.ts';

const audit: Task<unknown, AuditDeps> = (_payload, deps) => auditExits(deps);

export default audit;
