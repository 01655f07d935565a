import { checkout } from '../../src/capabilities/payments/checkout.ts';
import { runProcessorIntent } from '../../src/intents/replay.ts';

export default runProcessorIntent(checkout);
