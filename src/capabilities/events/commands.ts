import { type FragmentSqlToken, sql } from 'slonik';
import type { AppId } from '../../kernel/ids.ts';

/**
 * A fragment that writes an event that an app sends, and queues its deliveries; its value is their number. Its origin
 * is `app`. Use it in the statement that makes the change the event reports. Put it last: it locks the end of the app's
 * event log until the commit.
 */
export const emitting = (app: AppId, type: string, data: Record<string, unknown>): FragmentSqlToken =>
  sql.fragment`emit_event(${app}, ${type}, ${JSON.stringify(data)}::jsonb, 'app')`;
