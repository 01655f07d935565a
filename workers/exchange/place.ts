import { runIntent } from '../../src/intents/run.ts';
import { place } from '../../src/venues/exchange/orders/place.ts';

export default runIntent(place);
