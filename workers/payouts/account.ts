import { runIntent } from '../../src/intents/run.ts';
import { withProcessor } from '../../src/payments/processor.ts';
import { account } from '../../src/payouts/account.ts';

export default withProcessor(runIntent(account));
