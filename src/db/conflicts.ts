/**
 * Codes of PostgreSQL and of sockets that mean that the database cannot work, not that the statement is wrong: among them a
 * full disk (53100), too many connections (53300) and a primary that has become read-only (25006).
 */
const AWAY = /^(08|25006|53|57P0[1-5]|58030|ECONN|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND|ENOENT|EPIPE|ETIMEDOUT)/;
const AWAY_NAMES = /^(Backend|Connection|ConnectionError)|Terminated/;

/** Whether an error means that the database is currently unreachable. */
export const databaseIsAway = (error: unknown): boolean =>
  causesOf(error).some(({ code, name, message }) => {
    return (
      AWAY.test(code) || AWAY_NAMES.test(name) || /connection (terminated|timeout)|^timeout expired$/i.test(message)
    );
  });

/** Codes by which the server rejects a statement or a connection: read-only, or out of a resource. */
const REJECTED = /^(25006|53...)$/;

/**
 * Whether an error proves that nothing of the statement was written: the server rejected it, and said so. A panic is no
 * such proof: it can come after the commit was written.
 */
export const databaseRejected = (error: unknown): boolean =>
  causesOf(error).some(({ code, severity }) => REJECTED.test(code) && /^(ERROR|FATAL)$/.test(severity));

/** Whether PostgreSQL cancelled a statement because of others: to resolve a deadlock, or to keep them serializable. Repeating it is safe. */
export const wasUndone = (error: unknown): boolean => hasCode(error, '40P01') || hasCode(error, '40001');

/** Whether PostgreSQL cancelled a statement because it did not get a lock within `lock_timeout`. */
export const waitedTooLong = (error: unknown): boolean => hasCode(error, '55P03');

/** Whether an error, or one that caused it, has this SQLSTATE. */
export const hasCode = (error: unknown, state: string): boolean => causesOf(error).some(({ code }) => code === state);

/** The error and its chain of causes. */
function causesOf(error: unknown): { code: string; severity: string; name: string; message: string }[] {
  if (!(error instanceof Error)) return [];
  const code = 'code' in error ? String(error.code) : '';
  const severity = 'severity' in error ? String(error.severity) : '';
  return [{ code, severity, name: error.name, message: error.message }, ...causesOf(error.cause)];
}
