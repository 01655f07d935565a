import type { Logger } from 'pino';
import type { Db } from '../../db/pool.ts';
import type { Hotkey } from '../../kernel/ids.ts';
import { findOtherEntity } from './queries.ts';

type Sources = { db: Db; log: Pick<Logger, 'error'>; config: { NETVENUE_ENTITY_HOTKEY: Hotkey } };

/**
 * Checks once, at a worker's start, whether the platform's entity is the one under which its traders are. With another setting none of them is
 * found, because they are named by their numbers at their entity. Who moves to another entity goes on: its first subaccount here ends this.
 */
export async function checkEntity({ db, log, config: { NETVENUE_ENTITY_HOTKEY: entity } }: Sources): Promise<void> {
  const known = await findOtherEntity(db, entity);
  if (known)
    log.error(
      { alert: 'entity_unknown', entity, known_entity: known.entity, subaccounts: known.subaccounts },
      'NETVENUE_ENTITY_HOTKEY: no subaccount here is of this entity; traders of the known one are not found until it is set again',
    );
}
