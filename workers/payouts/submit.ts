import { runIntent } from '../../src/intents/run.ts';
import { withProcessor } from '../../src/payments/processor.ts';
import { submit } from '../../src/payouts/submit.ts';

export default withProcessor(runIntent(submit));
