import { runIntent } from '../../src/intents/run.ts';
import { session } from '../../src/kyc/session.ts';
import { withProcessor } from '../../src/payments/processor.ts';

export default withProcessor(runIntent(session));
