/** An event of a log. `data` is JSON text and is sent unchanged. */
export type LoggedEvent = { position: number; type: string; data: string };

/** Event logs of one kind, each with a subject: a prop account or a partner. Positions have no gaps. */
export type EventLogs = {
  /** At most `most` events of a log after a position, oldest first. */
  list(subject: string, after: number, most: number): Promise<readonly LoggedEvent[]>;
  /** The last position of a log, and whether all events after `after` still exist (`is_whole`). */
  end(subject: string, after: number): Promise<{ last_position: number; is_whole: boolean }>;
  /** The last positions of these logs. Logs without events are omitted. */
  ends(subjects: string[]): Promise<readonly { subject: string; last_position: number }[]>;
  /** Records that these logs have listeners. */
  listen(subjects: string[]): Promise<void>;
  /** The invalid ones of these credentials. */
  invalid(credentials: string[]): Promise<readonly string[]>;
};
