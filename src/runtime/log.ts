import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import pino, { type DestinationStream, type Logger } from 'pino';
import type { Config } from '../config.ts';
import { serializeError } from '../kernel/serialize-error.ts';
import { within } from '../kernel/within.ts';
import { workMembers } from '../kernel/work.ts';
import { VERSION } from '../metrics/version.ts';

/**
 * Opens the logger of the process: JSON lines on standard output. Each has the process, its version, and what it works on:
 * request, intent, tenant and task, where they are known. Fields named like a secret are redacted, down to
 * depth 3, so the code of an error is logged as `error_code`: an SQLSTATE, or a name of the system. `onAlert` is called with the member `alert` of a
 * line, also of one that is not written because `LOG_LEVEL` leaves out errors.
 */
export const openLog = (
  { LOG_LEVEL }: Pick<Config, 'LOG_LEVEL'>,
  process?: string,
  onAlert: (alert: string) => void = () => {},
): Logger => {
  const least = pino.levels.values[LOG_LEVEL] ?? Number.POSITIVE_INFINITY;
  return pino(
    {
      level: least > ERROR ? 'error' : LOG_LEVEL,
      base: { ...(process && { process }), version: VERSION },
      mixin: workMembers,
      formatters: {
        log(fields) {
          if (typeof fields.alert === 'string') onAlert(fields.alert);
          return Object.fromEntries(Object.entries(fields).map(shownField));
        },
      },
      serializers: { err: (error: unknown) => withErrorCodes(serializeError(error)) },
    },
    gathered(least),
  );
};

/** Alerts are lines of this level, or above. */
const ERROR = 50;

const GATHER_MS = 20;
const STANDARD_OUTPUT = 1;
const MOST_BYTES = 32_000_000; // waiting for a reader that has stalled; more lines are dropped

/** `holdsThread`: a write to a reader that has stalled keeps a thread of this process until it is read. */
type Output = {
  destination: ReturnType<typeof pino.destination>;
  waiting: number;
  dropped: number;
  holdsThread: boolean;
};
const outputs: Output[] = [];

/**
 * Standard output, with the lines of 20 ms in one write: one for each line takes longer than making it. Lines below the level `least` are left out.
 */
function gathered(least: number): DestinationStream {
  const options = { sync: false, minLength: 8_192, maxLength: MOST_BYTES };
  const dest = withoutWaiting();
  const destination = pino.destination({ ...options, dest });
  const output: Output = { destination, waiting: 0, dropped: 0, holdsThread: dest === STANDARD_OUTPUT };
  outputs.push(output);
  output.destination.on('drain', () => {
    output.waiting = 0;
  });
  output.destination.on('drop', () => {
    output.dropped += 1;
  });
  let isDue = false;
  const flush = () => {
    isDue = false;
    output.destination.flush();
  };
  const stream = {
    [pino.symbols.needsMetadataGsym]: true, // pino sets `lastLevel` before each line
    lastLevel: ERROR,
    write(line: string) {
      if (stream.lastLevel < least) return;
      output.waiting += 1;
      output.destination.write(line);
      if (!isDue) setTimeout(flush, GATHER_MS).unref();
      isDue = true;
    },
  };
  return stream;
}

/** Standard output as a file number. A pipe is opened once more so that a write to a full one fails at once, instead of holding a thread. */
function withoutWaiting(): number {
  const { O_APPEND, O_NONBLOCK, O_WRONLY } = constants;
  try {
    if (fstatSync(1).isFIFO()) return openSync('/proc/self/fd/1', O_WRONLY | O_NONBLOCK | O_APPEND);
  } catch {
    // no such system: as it is
  }
  return STANDARD_OUTPUT;
}

const ENDS_WITHIN_MS = 2_000;

/**
 * Writes the lines that wait, for at most 2 s. What a stalled reader has not taken by then is dropped, and counted on standard
 * error, unless that has the same reader. Call it last. Resolves to whether a thread is held by such a reader: it would be waited
 * for at an exit.
 */
export async function endLogs(): Promise<boolean> {
  const ended = await Promise.all(outputs.map((output) => within(written(output), ENDS_WITHIN_MS)));
  const dropped = outputs.map((output, n) => (ended[n] ? output.dropped : output.dropped + output.waiting));
  for (const [n, { destination }] of outputs.entries()) if (!ended[n]) destination.destroy();
  const count = dropped.reduce((sum, each) => sum + each, 0);
  if (count > 0 && fstatSync(1).ino !== fstatSync(2).ino) writeSync(2, `${count} log lines were dropped\n`);
  return outputs.some(({ holdsThread }, n) => holdsThread && !ended[n]);
}

/** Resolves once every line is written. A pipe or socket cannot be forced to a disk, and need not be. */
const written = ({ destination }: Output): Promise<true | null> =>
  new Promise((resolve) =>
    destination.flush((error?: NodeJS.ErrnoException) => resolve(error && error.syscall !== 'fsync' ? null : true)),
  );

/** A serialized error whose codes, and those of its causes, are named so that they are not taken for a mailed code. */
function withErrorCodes({ code, cause, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return {
    ...rest,
    ...(code !== undefined && { error_code: code }),
    ...(cause !== undefined && { cause: withErrorCodes(cause as Record<string, unknown>) }), // as: serialized too
  };
}

const SECRET_NAMES = new Set([
  'authorization',
  'password',
  'private_key',
  'secret',
  'token',
  'key',
  'code',
  'totp_code',
  'email_code',
]);
const DEPTH = 3;
const REDACTED = '[redacted]';

/** A field of a line without secrets. `err` has a serializer of its own, which names what may be logged. */
const shownField = ([name, value]: [string, unknown]): [string, unknown] => [
  name,
  SECRET_NAMES.has(name) ? REDACTED : name === 'err' ? value : redacted(value, DEPTH - 1),
];

/** The value itself if it has no field named like a secret down to this depth; else a copy without them. */
function redacted(value: unknown, depth: number): unknown {
  if (depth === 0 || typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  const members = Object.entries(value);
  const shown = members.map(([name, member]) => (SECRET_NAMES.has(name) ? REDACTED : redacted(member, depth - 1)));
  if (members.every(([, member], n) => member === shown[n])) return value;
  return Array.isArray(value) ? shown : Object.fromEntries(members.map(([name], n) => [name, shown[n]]));
}
