import type { Task } from '../../../src/intents/task.ts';
import { noteTriggers } from '../../../src/orders/exvenue/outcomes.ts';
import { takeWaitingExits } from '../../../src/orders/exvenue/queries.ts';
import { readExits } from '../../../src/orders/exvenue/waiting.ts';

const AT_ONCE = 50; // each look costs the venue's request budget

/** Follows exits that wait for their order to fill, so that none is left waiting with nobody to place it. */
const watch: Task<unknown> = async (_payload, { db, exvenue }) => {
  for (const order of await takeWaitingExits(db, AT_ONCE)) {
    const seen = await readExits(exvenue, order);
    if (seen) await noteTriggers(db, order.id, seen.told, seen.next);
  }
};

export default watch;
