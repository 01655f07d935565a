import { runIntent } from '../../src/intents/run.ts';
import { close } from '../../src/venues/exchange/orders/close.ts';

export default runIntent(close);
