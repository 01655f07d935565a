import { type ProofDeps, type ProofPart, proveLedger } from '../../src/capabilities/ledger/prove.ts';
import { whereProcessor } from '../../src/capabilities/payments/processor.ts';
import type { Task } from '../../src/intents/task.ts';

const prove: Task<ProofPart, ProofDeps> = (part, deps) => proveLedger(part, deps);

export default whereProcessor(prove);
