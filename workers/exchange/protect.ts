import { runIntent } from '../../src/intents/run.ts';
import { protect } from '../../src/venues/exchange/orders/protect.ts';

export default runIntent(protect);
