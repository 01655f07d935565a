/**
 * Codes of PostgreSQL and of sockets that mean that the database cannot work, not that the statement is wrong: among them a full disk (53100), too
 * many connections (53300), a primary that has become read-only (25006) and rejected credentials (class 28).
 */
const AWAY =
  /^(08|25006|28|53|57P0[1-5]|58030|ECONN|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND|ENOENT|EPIPE|ETIMEDOUT)/;
/**
 * Errors of a standby that have no code of their own: reading an unlogged table, and a write that is stopped only when it needs a transaction id.
 * Identified by SQLSTATE and the function in PostgreSQL's source, which do not depend on the locale.
 */
const ON_STANDBY = /^(0A000 get_relation_info|XX000 (AssignTransactionId|GetNewTransactionId|XLogBeginInsert))$/;
const AWAY_NAMES = /^(Backend|Connection|ConnectionError)|Terminated/;

/** Whether an error means that the database is currently unreachable. */
export const databaseIsAway = (error: unknown): boolean =>
  causesOf(error).some(
    ({ code, name, message, place }) =>
      AWAY.test(code) ||
      ON_STANDBY.test(place) ||
      AWAY_NAMES.test(name) ||
      /connection (terminated|timeout)|^timeout expired$/i.test(message),
  );

/** Codes of a server that rejected a statement or a connection: it is read-only, the role may not log in, or a resource is exhausted. */
const REJECTED = /^(25006|28...|53...)$/;

/**
 * Whether an error proves that nothing of the statement was written: the server rejected it, and said so. A panic is no
 * such proof: it can come after the commit was written.
 */
export const databaseRejected = (error: unknown): boolean =>
  causesOf(error).some(
    ({ code, place, severity }) => (REJECTED.test(code) || ON_STANDBY.test(place)) && /^(ERROR|FATAL)$/.test(severity),
  );

/** Whether the server rejects the role or its password, for example because they were rotated while this process runs. */
export const rejectsCredentials = (error: unknown): boolean =>
  causesOf(error).some(({ code }) => code.startsWith('28'));

/** Whether the server rejects every write: it is a standby, or a primary that was made read-only. */
export const databaseIsReadOnly = (error: unknown): boolean =>
  causesOf(error).some(({ code, place }) => code === '25006' || ON_STANDBY.test(place));

/** Whether PostgreSQL cancelled a statement because of others: to resolve a deadlock, or to keep them serializable. Repeating it is safe. */
export const wasUndone = (error: unknown): boolean => hasCode(error, '40P01') || hasCode(error, '40001');

/**
 * Whether PostgreSQL gave up a statement because of others: it was undone, waited too long for a lock, or an operator or a time limit cancelled it.
 * The statement is not wrong, and nothing of it was written.
 */
export const wasGivenUp = (error: unknown): boolean =>
  wasUndone(error) || waitedTooLong(error) || hasCode(error, '57014');

/** Whether PostgreSQL cancelled a statement because it did not get a lock within `lock_timeout`. */
export const waitedTooLong = (error: unknown): boolean => hasCode(error, '55P03');

/** Whether an error, or one that caused it, has this SQLSTATE. */
export const hasCode = (error: unknown, state: string): boolean => causesOf(error).some(({ code }) => code === state);

/** What is known of an error. `place`: its SQLSTATE and the server's function that rejected. */
type Fault = { code: string; severity: string; name: string; message: string; place: string };

/** The error and its chain of causes. */
function causesOf(error: unknown): Fault[] {
  if (!(error instanceof Error)) return [];
  const { name, message, cause } = error;
  const { code = '', severity = '', routine = '' } = error as { code?: string; severity?: string; routine?: string }; // as: pg's errors have them
  return [{ code, severity, name, message, place: `${code} ${routine}` }, ...causesOf(cause)];
}
