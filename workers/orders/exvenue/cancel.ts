import { runIntent } from '../../../src/intents/run.ts';
import { cancel } from '../../../src/orders/exchange/cancel.ts';

export default runIntent(cancel);
