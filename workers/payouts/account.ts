import { account } from '../../src/capabilities/payouts/account.ts';
import { runProcessorIntent } from '../../src/intents/replay.ts';

export default runProcessorIntent(account);
