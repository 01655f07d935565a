import { runProcessorIntent } from '../../src/intents/replay.ts';
import { link } from '../../src/payouts/link.ts';

export default runProcessorIntent(link);
