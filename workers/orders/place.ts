import { runIntent } from '../../src/intents/run.ts';
import { place } from '../../src/orders/network/place.ts';

export default runIntent(place);
