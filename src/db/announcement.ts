/** An announcement of the SQL function `announce_intent`: the intent's id, and its row as JSON. Null: the row was left out, read it. */
export function announcementOf(payload: string): [id: string, row: string | null] {
  const end = payload.indexOf(' ');
  return end < 0 ? [payload, null] : [payload.slice(0, end), payload.slice(end + 1)];
}
