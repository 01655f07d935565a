import { runIntent } from '../../src/intents/run.ts';
import { edit } from '../../src/venues/network/orders/edit.ts';

export default runIntent(edit);
