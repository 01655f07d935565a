import { runIntent } from '../../src/intents/run.ts';
import { protect } from '../../src/orders/network/protect.ts';

export default runIntent(protect);
