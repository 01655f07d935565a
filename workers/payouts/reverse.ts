import { reverse } from '../../src/capabilities/payouts/reverse.ts';
import { runProcessorIntent } from '../../src/intents/replay.ts';

export default runProcessorIntent(reverse);
