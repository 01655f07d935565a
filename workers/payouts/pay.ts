import { pay } from '../../src/capabilities/payouts/pay.ts';
import { runProcessorIntent } from '../../src/intents/replay.ts';

export default runProcessorIntent(pay);
