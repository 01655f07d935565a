import { runIntent } from '../../../src/intents/run.ts';
import { close } from '../../../src/orders/exchange/close.ts';

export default runIntent(close);
