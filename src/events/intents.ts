import { type FragmentSqlToken, sql } from 'slonik';

/**
 * A fragment that says that something happened, for the statement that makes it true: it writes the event and queues its
 * deliveries, and is worth their number. Put it last: it holds the end of the app's log until the commit.
 */
export const emitting = (app: string, type: string, data: Record<string, unknown>): FragmentSqlToken =>
  sql.fragment`emit_event(${app}, ${type}, ${JSON.stringify(data)}::jsonb)`;
