type Serialized = Record<string, unknown>;

const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Classes of SQLSTATE whose messages are about the connection, the server or its disk, and hold no values of rows. */
const OF_THE_SERVER = /^(08|28|3D|53|57|58)/;
const NAMES = ['code', 'severity', 'constraint', 'table', 'column', 'routine', 'syscall', 'statusCode'] as const;

/**
 * The members of an error that may be logged: its type, codes, names and stack frames. PostgreSQL puts values of rows
 * and parameters into its messages ("Failing row contains …"), so the message of a database error is dropped, unless it is
 * about the server, such as a rejected connection.
 */
export function serializeError(error: unknown): Serialized {
  if (!(error instanceof Error)) return { type: typeof error };
  const serialized: Serialized = { type: error.name === 'Error' ? error.constructor.name : error.name };
  for (const name of NAMES) {
    const value = (error as unknown as Serialized)[name]; // as: these are members of some errors only
    if (typeof value === 'string' || typeof value === 'number') serialized[name] = value;
  }
  if (!isDatabaseError(error)) serialized.message = error.message;
  serialized.stack = framesOf(error);
  if (error.cause !== undefined) serialized.cause = serializeError(error.cause);
  return serialized;
}

/** An error that contains only what may be logged. For code that stores error texts by itself, such as the queue. */
export function sanitizeError(error: unknown): Error {
  const { message, stack = '', cause, ...names } = serializeError(error);
  const { code } = Object(cause) as Serialized;
  const serialized = new Error(`${message ?? 'Its text may hold values'} ${JSON.stringify({ ...names, cause: code })}`);
  serialized.stack = `${serialized.message}\n${stack}`;
  return serialized;
}

/** Whether an error or one of its causes comes from PostgreSQL or from slonik. */
function isDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('severity' in error && 'code' in error && SQLSTATE.test(String(error.code)))
    return !OF_THE_SERVER.test(String(error.code));
  return isSlonik(error) || isDatabaseError(error.cause);
}

const isSlonik = (error: object): boolean => {
  const parent = Object.getPrototypeOf(error);
  return parent !== null && (parent.constructor.name === 'SlonikError' || isSlonik(parent));
};

/** The stack without the message before it. */
const framesOf = ({ stack = '' }: Error) =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
