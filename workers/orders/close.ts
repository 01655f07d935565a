import { runIntent } from '../../src/intents/run.ts';
import { close } from '../../src/orders/network/close.ts';

export default runIntent(close);
