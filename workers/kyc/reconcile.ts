import { type SweepDeps, sweepSessions } from '../../src/capabilities/kyc/sweep.ts';
import { whereProcessor } from '../../src/capabilities/payments/processor.ts';

export default whereProcessor((_payload, deps: SweepDeps) => sweepSessions(deps));
