import { runIntent } from '../../../src/intents/run.ts';
import { protect } from '../../../src/orders/exchange/protect.ts';

export default runIntent(protect);
