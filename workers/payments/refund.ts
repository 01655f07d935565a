import { runProcessorIntent } from '../../src/intents/replay.ts';
import { refund } from '../../src/payments/refund.ts';

export default runProcessorIntent(refund);
