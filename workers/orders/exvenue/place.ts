import { runIntent } from '../../../src/intents/run.ts';
import { place } from '../../../src/orders/exchange/place.ts';

export default runIntent(place);
