import { runProcessorIntent } from '../../src/intents/replay.ts';
import { submit } from '../../src/payouts/submit.ts';

export default runProcessorIntent(submit);
