import { runIntent } from '../../src/intents/run.ts';
import { cancel } from '../../src/venues/network/orders/cancel.ts';

export default runIntent(cancel);
