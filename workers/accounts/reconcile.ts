import { findCreated } from '../../src/accounts/lookups.ts';
import { recordSubaccount } from '../../src/accounts/outcomes.ts';
import type { NewSubaccount, Subaccount } from '../../src/adapters/netvenue/types.ts';
import { lookUp } from '../../src/intents/carry-out.ts';
import type { Task } from '../../src/intents/task.ts';
import { inDoubt } from '../../src/kernel/answer.ts';

/** Looks for the subaccount that a creation in doubt may have made, at the entity it was asked of. */
const reconcile: Task = ({ intent_id }, runtime) => {
  const platform = runtime.config.NETVENUE_ENTITY_HOTKEY;
  return lookUp<{ subaccount: NewSubaccount; entity?: string }, Subaccount>(
    runtime,
    intent_id,
    async (intent, { subaccount, entity = platform }) => {
      const venue = await runtime.venues.of(entity);
      if (!venue) return inDoubt('no key for the entity');
      return findCreated({ db: runtime.db, venue, entity, platform }, intent.id, subaccount);
    },
    (intent, { subaccount, entity = platform }, answer) =>
      recordSubaccount(runtime.db, intent, subaccount, entity, answer),
  );
};

export default reconcile;
