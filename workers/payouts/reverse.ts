import { runIntent } from '../../src/intents/run.ts';
import { withProcessor } from '../../src/payments/processor.ts';
import { reverse } from '../../src/payouts/reverse.ts';

export default withProcessor(runIntent(reverse));
