import { runIntent } from '../../src/intents/run.ts';
import { checkout } from '../../src/payments/checkout.ts';
import { withProcessor } from '../../src/payments/processor.ts';

export default withProcessor(runIntent(checkout));
