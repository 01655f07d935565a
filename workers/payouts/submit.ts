import { submit } from '../../src/capabilities/payouts/submit.ts';
import { runProcessorIntent } from '../../src/intents/replay.ts';

export default runProcessorIntent(submit);
