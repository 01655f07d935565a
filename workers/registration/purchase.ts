import { runIntent } from '../../src/intents/run.ts';
import { purchase } from '../../src/registration/purchase.ts';

export default runIntent(purchase);
