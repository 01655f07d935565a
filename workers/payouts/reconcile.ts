import { whereProcessor } from '../../src/capabilities/payments/processor.ts';
import { type SweepDeps, sweepPayouts } from '../../src/capabilities/payouts/sweep.ts';

export default whereProcessor((_payload, deps: SweepDeps) => sweepPayouts(deps));
