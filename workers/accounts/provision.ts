import { provision } from '../../src/capabilities/accounts/provision.ts';
import { runIntent } from '../../src/intents/run.ts';

export default runIntent(provision);
