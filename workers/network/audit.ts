import type { Task } from '../../src/intents/task.ts';
import { type AuditDeps, auditNetworkExits } from '../../src/venues/network/orders/audit.ts';

const audit: Task<unknown, AuditDeps> = (_payload, deps) => auditNetworkExits(deps);

export default audit;
