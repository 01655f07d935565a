import { runIntent } from '../../src/intents/run.ts';
import { withProcessor } from '../../src/payments/processor.ts';
import { link } from '../../src/payouts/link.ts';

export default withProcessor(runIntent(link));
