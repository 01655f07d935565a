import { runProcessorIntent } from '../../src/intents/replay.ts';
import { account } from '../../src/payouts/account.ts';

export default runProcessorIntent(account);
