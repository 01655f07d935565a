import { runProcessorIntent } from '../../src/intents/replay.ts';
import { checkout } from '../../src/payments/checkout.ts';

export default runProcessorIntent(checkout);
