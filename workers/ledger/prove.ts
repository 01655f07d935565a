import { type ProofDeps, type ProofPart, proveLedger } from '../../src/capabilities/ledger/prove.ts';
import { whereProcessor } from '../../src/capabilities/payments/processor.ts';

export default whereProcessor((part: ProofPart, deps: ProofDeps) => proveLedger(part, deps));
