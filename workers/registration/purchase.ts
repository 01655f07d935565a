import { purchase } from '../../src/capabilities/registration/purchase.ts';
import { runIntent } from '../../src/intents/run.ts';

export default runIntent(purchase);
