import { type ProofDeps, proveLedger } from '../../src/capabilities/ledger/prove.ts';
import { whereProcessor } from '../../src/capabilities/payments/processor.ts';
import type { Task } from '../../src/intents/task.ts';

const prove: Task<unknown, ProofDeps> = (_payload, deps) => proveLedger(deps);

export default whereProcessor(prove);
