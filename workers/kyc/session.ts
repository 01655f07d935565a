import { session } from '../../src/capabilities/kyc/session.ts';
import { runProcessorIntent } from '../../src/intents/replay.ts';

export default runProcessorIntent(session);
