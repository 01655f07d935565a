import { recordSubaccount } from '../../src/accounts/outcomes.ts';
import type { NewSubaccount } from '../../src/adapters/netvenue/types.ts';
import { carryOut } from '../../src/intents/carry-out.ts';
import type { Task } from '../../src/intents/task.ts';

/** Makes one subaccount at the network. After a possible send it is only ever looked for, never made again. */
const provision: Task = ({ intent_id }, runtime) =>
  carryOut(runtime, intent_id, {
    prepare: async ({ asked }) => ({ send: { subaccount: asked.subaccount as NewSubaccount } }),
    send: ({ subaccount }, limits) => runtime.venues.netvenue.createSubaccount(subaccount, limits),
    record: (intent, { subaccount }, answer) =>
      recordSubaccount(runtime.db, intent, subaccount, runtime.config.NETVENUE_ENTITY_HOTKEY, answer),
  });

export default provision;
