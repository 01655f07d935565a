import type { Logger } from 'pino';
import type { Db } from '../../db/pool.ts';
import type { Hotkey } from '../../kernel/ids.ts';
import { findOtherEntity } from './queries.ts';

type Sources = { db: Db; log: Pick<Logger, 'error'>; config: { NETVENUE_ENTITY_HOTKEY: Hotkey } };

/**
 * Checks once, when a worker starts, whether the configured entity is the one that the platform's traders belong to. Traders are identified by their
 * numbers at their entity, so with another entity none of them is found. After a deliberate move to another entity the alert ends with the first
 * subaccount there.
 */
export async function checkEntity({ db, log, config: { NETVENUE_ENTITY_HOTKEY: entity } }: Sources): Promise<void> {
  const known = await findOtherEntity(db, entity);
  if (known)
    log.error(
      { alert: 'entity_unknown', entity, known_entity: known.entity, subaccounts: known.subaccounts },
      'NETVENUE_ENTITY_HOTKEY: no subaccount here is of this entity; traders of the known one are not found until it is set again',
    );
}
