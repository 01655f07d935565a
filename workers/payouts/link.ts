import { link } from '../../src/capabilities/payouts/link.ts';
import { runProcessorIntent } from '../../src/intents/replay.ts';

export default runProcessorIntent(link);
