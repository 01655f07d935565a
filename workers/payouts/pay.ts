import { runIntent } from '../../src/intents/run.ts';
import { withProcessor } from '../../src/payments/processor.ts';
import { pay } from '../../src/payouts/pay.ts';

export default withProcessor(runIntent(pay));
