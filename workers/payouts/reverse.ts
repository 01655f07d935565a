import { runProcessorIntent } from '../../src/intents/replay.ts';
import { reverse } from '../../src/payouts/reverse.ts';

export default runProcessorIntent(reverse);
