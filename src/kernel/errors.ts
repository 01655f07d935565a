type Told = Record<string, unknown>;

const SQLSTATE = /^[0-9A-Z]{5}$/;
const NAMES = ['code', 'severity', 'constraint', 'table', 'column', 'routine', 'syscall', 'statusCode'] as const;

/**
 * What a log may hold of an error: its kind, where it came from, and the names of what it is about. PostgreSQL puts values of rows
 * and parameters into its texts ("Failing row contains …"): of its errors no text is kept.
 */
export function toldError(error: unknown): Told {
  if (!(error instanceof Error)) return { type: typeof error };
  const told: Told = { type: error.name === 'Error' ? error.constructor.name : error.name };
  for (const name of NAMES) {
    const value = (error as unknown as Told)[name]; // as: these are members of some errors only
    if (typeof value === 'string' || typeof value === 'number') told[name] = value;
  }
  if (!speaksForDatabase(error)) told.message = error.message;
  told.stack = framesOf(error);
  if (error.cause !== undefined) told.cause = toldError(error.cause);
  return told;
}

/** An error that says no more than a log may hold, for whoever writes texts of errors down by itself, as the queue does. */
export function tellable(error: unknown): Error {
  const { message, stack = '', cause, ...names } = toldError(error);
  const { code } = Object(cause) as Told;
  const told = new Error(`${message ?? 'Its text may hold values'} ${JSON.stringify({ ...names, cause: code })}`);
  told.stack = `${told.message}\n${stack}`;
  return told;
}

/** Whether an error, or one it was caused by, is PostgreSQL's own or the driver's word for one. */
function speaksForDatabase(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isDatabases = 'severity' in error && 'code' in error && SQLSTATE.test(String(error.code));
  return isDatabases || isSlonik(error) || speaksForDatabase(error.cause);
}

const isSlonik = (error: object): boolean => {
  const parent = Object.getPrototypeOf(error);
  return parent !== null && (parent.constructor.name === 'SlonikError' || isSlonik(parent));
};

/** The stack without the text that stands before it. */
const framesOf = ({ stack = '' }: Error) =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
