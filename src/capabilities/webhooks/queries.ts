import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import { keysetPage } from '../../db/keyset.ts';
import type { Db } from '../../db/pool.ts';
import type { OwnerId } from '../../kernel/ids.ts';
import type { PageRequest } from '../../kernel/pages.ts';

const endpointRow = z.custom<components['schemas']['WebhookEndpoint']>();

/** An endpoint in the form shown to its owner, without its secrets. */
export type Endpoint = z.infer<typeof endpointRow>;

const endpointColumns = sql.fragment`
  e.id, e.url, e.events, e.description, e.active, e.deactivated_because, e.failing_since, e.created_at, e.updated_at`;

/** An endpoint of this owner, or null. */
export const findEndpoint = (db: Db, owner: OwnerId, endpointId: string): Promise<Endpoint | null> =>
  db.maybeOne(sql.prepared('find_webhook_endpoint', endpointRow)`
    select ${endpointColumns}
    from webhook_endpoints e
    where e.id = ${endpointId} and e.owner = ${owner}`);

/** The owner's endpoints, newest first, after `cursor`. */
export const listEndpoints = (db: Db, owner: OwnerId, page: PageRequest): Promise<readonly Endpoint[]> =>
  db.any(sql.prepared('list_webhook_endpoints', endpointRow)`
    select ${endpointColumns}
    from webhook_endpoints e
    where e.owner = ${owner}
      and ${keysetPage({ table: 'webhook_endpoints', alias: 'e', order: 'newest first' }, page)}`);
