import { refund } from '../../src/capabilities/payments/refund.ts';
import { runProcessorIntent } from '../../src/intents/replay.ts';

export default runProcessorIntent(refund);
