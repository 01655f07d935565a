import { runIntent } from '../../src/intents/run.ts';
import { edit } from '../../src/orders/network/edit.ts';

export default runIntent(edit);
