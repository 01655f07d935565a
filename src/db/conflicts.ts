/** Codes of PostgreSQL and of sockets that mean: the database is away, not: the statement is wrong. */
const AWAY = /^(08|57P0[1-4]|53300|ECONN|ENOTFOUND|ENOENT|EPIPE|ETIMEDOUT)/;
const AWAY_NAMES = /^(Backend|Connection|ConnectionError)|Terminated/;

/** Whether an error says that the database cannot be reached just now. Walks the causes the drivers wrap it in. */
export function databaseIsAway(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    if (AWAY.test(code) || AWAY_NAMES.test(cause.name) || /connection (terminated|timeout)/i.test(cause.message)) {
      return true;
    }
  }
  return false;
}
