import { runIntent } from '../../src/intents/run.ts';
import { cancel } from '../../src/venues/exchange/orders/cancel.ts';

export default runIntent(cancel);
