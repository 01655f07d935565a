import { runIntent } from '../../src/intents/run.ts';
import { cancel } from '../../src/orders/network/cancel.ts';

export default runIntent(cancel);
