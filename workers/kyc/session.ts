import { runProcessorIntent } from '../../src/intents/replay.ts';
import { session } from '../../src/kyc/session.ts';

export default runProcessorIntent(session);
