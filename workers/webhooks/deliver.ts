import type { Task } from '../../src/intents/task.ts';
import type { Lane } from '../../src/webhooks/outcomes.ts';
import { takeTurn } from '../../src/webhooks/turn.ts';

/** Sends what is due in one lane of an endpoint, for as long as its turn lasts. */
const deliver: Task<Lane> = (lane, runtime) => takeTurn(lane, runtime);

export default deliver;
