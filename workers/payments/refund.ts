import { runIntent } from '../../src/intents/run.ts';
import { withProcessor } from '../../src/payments/processor.ts';
import { refund } from '../../src/payments/refund.ts';

export default withProcessor(runIntent(refund));
