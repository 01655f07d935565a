/** Codes of PostgreSQL and of sockets that mean: the database is away, not: the statement is wrong. */
const AWAY = /^(08|57P0[1-4]|53300|ECONN|ENOTFOUND|ENOENT|EPIPE|ETIMEDOUT)/;
const AWAY_NAMES = /^(Backend|Connection|ConnectionError)|Terminated/;

/** Whether an error says that the database cannot be reached just now. */
export const databaseIsAway = (error: unknown): boolean =>
  causesOf(error).some(({ code, name, message }) => {
    return AWAY.test(code) || AWAY_NAMES.test(name) || /connection (terminated|timeout)/i.test(message);
  });

/** Whether PostgreSQL undid a statement to resolve a deadlock: making it again is safe. */
export const wasUndone = (error: unknown): boolean => causesOf(error).some(({ code }) => code === '40P01');

/** Whether PostgreSQL ended a statement because a lock did not come in time. */
export const waitedTooLong = (error: unknown): boolean => causesOf(error).some(({ code }) => code === '55P03');

/** An error and the causes the drivers wrap in it. */
function causesOf(error: unknown): { code: string; name: string; message: string }[] {
  if (!(error instanceof Error)) return [];
  const code = 'code' in error ? String(error.code) : '';
  return [{ code, name: error.name, message: error.message }, ...causesOf(error.cause)];
}
