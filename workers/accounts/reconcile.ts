import { findCreated } from '../../src/accounts/lookups.ts';
import { recordSubaccount } from '../../src/accounts/outcomes.ts';
import type { NewSubaccount, Subaccount } from '../../src/adapters/netvenue/types.ts';
import { lookUp } from '../../src/intents/carry-out.ts';
import type { Task } from '../../src/intents/task.ts';

/** Looks for the subaccount that a creation in doubt may have made. */
const reconcile: Task = ({ intent_id }, runtime) =>
  lookUp<{ subaccount: NewSubaccount }, Subaccount>(
    runtime,
    intent_id,
    (intent, { subaccount }) => findCreated({ db: runtime.db, venue: runtime.venues.netvenue }, intent.id, subaccount),
    (intent, { subaccount }, answer) =>
      recordSubaccount(runtime.db, intent, subaccount, runtime.config.NETVENUE_ENTITY_HOTKEY, answer),
  );

export default reconcile;
