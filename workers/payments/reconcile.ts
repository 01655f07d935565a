import { whereProcessor } from '../../src/capabilities/payments/processor.ts';
import { type SweepDeps, sweepPayments } from '../../src/capabilities/payments/sweep.ts';

export default whereProcessor((_payload, deps: SweepDeps) => sweepPayments(deps));
