import pino, { type DestinationStream, type Logger } from 'pino';
import type { Config } from '../config.ts';
import { serializeError } from '../kernel/serialize-error.ts';
import { workMembers } from '../kernel/work.ts';
import { VERSION } from '../metrics/version.ts';

/**
 * Opens the logger of the process: JSON lines on standard output. Each has the process, its version, and what it works on:
 * request, intent, tenant and task, where they are known. Fields named like a secret are redacted, down to
 * depth 3, so the code of an error is logged as `error_code`: an SQLSTATE, or a name of the system.
 */
export const openLog = ({ LOG_LEVEL }: Pick<Config, 'LOG_LEVEL'>, process?: string): Logger =>
  pino(
    {
      level: LOG_LEVEL,
      base: { ...(process && { process }), version: VERSION },
      mixin: workMembers,
      formatters: { log: (fields) => Object.fromEntries(Object.entries(fields).map(shownField)) },
      serializers: { err: (error: unknown) => withErrorCodes(serializeError(error)) },
    },
    gathered(),
  );

const GATHER_MS = 20;

/** Standard output, with the lines of 20 ms in one write: one for each line takes longer than making it. The rest is written at the exit. */
function gathered(): DestinationStream {
  const output = pino.destination({ sync: false, minLength: 8_192 });
  let isDue = false;
  const flush = () => {
    isDue = false;
    output.flush();
  };
  return {
    write(line) {
      output.write(line);
      if (!isDue) setTimeout(flush, GATHER_MS).unref();
      isDue = true;
    },
  };
}

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
