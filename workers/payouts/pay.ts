import { runProcessorIntent } from '../../src/intents/replay.ts';
import { pay } from '../../src/payouts/pay.ts';

export default runProcessorIntent(pay);
