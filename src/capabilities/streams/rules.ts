/** The position in a `Last-Event-ID`; null if it is absent, malformed or of another log. */
export function positionOf(subject: string, lastEventId: string | undefined): number | null {
  if (!lastEventId?.startsWith(`${subject}:`)) return null;
  const position = lastEventId.slice(subject.length + 1);
  return /^\d{1,15}$/.test(position) ? Number(position) : null;
}

/** The log that an event id names, whether there is one or not. */
export const subjectOf = (eventId: string): string => eventId.slice(0, eventId.lastIndexOf(':'));

type Event = { position: number; type: string; data: string };

/**
 * One event in the event stream format (HTML standard, section 9.2). Its id contains the log and the position, so it is not valid for another log.
 * `data` is JSON, which has no line breaks.
 */
export const eventText = (subject: string, { position, type, data }: Event): string =>
  `id: ${subject}:${position}\nevent: ${type}\ndata: ${data}\n\n`;

/**
 * The event with the reason why the service ends a stream. It has no id: a new stream resumes after the last event with
 * an id.
 */
export const endText = (reason: 'too_slow' | 'revoked'): string => `event: closed\ndata: {"reason":"${reason}"}\n\n`;

/** A comment line that shows readers and proxies that the stream is alive. */
export const HEARTBEAT = ':\n\n';

/**
 * The reconnect delay of a reader: 500 to 2,000 ms for a `spread` of 0 to 1, so that readers do not all reconnect at
 * once.
 */
export const retryText = (spread: number): string => `retry: ${500 + Math.round(spread * 1_500)}\n\n`;
