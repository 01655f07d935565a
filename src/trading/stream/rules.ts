/** The id of an event: its account and its place there, so that a place is never taken for one in another account. */
export const eventId = (account: string, place: number): string => `${account}:${place}`;

/** The place a `Last-Event-ID` names in an account; null where it names none. */
export function placeOf(account: string, lastEventId: string | undefined): number | null {
  if (!lastEventId?.startsWith(`${account}:`)) return null;
  const place = lastEventId.slice(account.length + 1);
  return /^\d{1,15}$/.test(place) ? Number(place) : null;
}

/** One event in the event stream format (HTML standard, section 9.2). `data` is JSON, which has no line breaks. */
export const eventText = (id: string, type: string, data: string): string =>
  `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`;

/** The event that says why the service ends a stream. It has no id: a new stream goes on behind the last event that has one. */
export const endText = (reason: 'too_slow' | 'revoked'): string => `event: closed\ndata: {"reason":"${reason}"}\n\n`;

/** A comment, so that readers and proxies see that the stream lives. */
export const HEARTBEAT = ':\n\n';

/** How soon a reader connects again, in milliseconds; spread, so that readers of a process that goes away do not come at once. */
export const retryText = (spread: number): string => `retry: ${500 + Math.round(spread * 1_500)}\n\n`;
