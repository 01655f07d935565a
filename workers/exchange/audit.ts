import type { Task } from '../../src/intents/task.ts';
import { type AuditDeps, auditExchangeExits } from '../../src/venues/exchange/orders/audit.ts';

const audit: Task<unknown, AuditDeps> = (_payload, deps) => auditExchangeExits(deps);

export default audit;
