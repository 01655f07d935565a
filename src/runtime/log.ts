import pino, { type Logger } from 'pino';
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
  pino({
    level: LOG_LEVEL,
    base: { ...(process && { process }), version: VERSION },
    mixin: workMembers,
    redact: { paths: SECRET_FIELDS, censor: '[redacted]' },
    serializers: { err: (error: unknown) => withErrorCodes(serializeError(error)) },
  });

/** A serialized error whose codes, and those of its causes, are named so that they are not taken for a mailed code. */
function withErrorCodes({ code, cause, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return {
    ...rest,
    ...(code !== undefined && { error_code: code }),
    ...(cause !== undefined && { cause: withErrorCodes(cause as Record<string, unknown>) }), // as: serialized too
  };
}

const SECRET_NAMES = [
  'authorization',
  'password',
  'private_key',
  'secret',
  'token',
  'key',
  'code',
  'totp_code',
  'email_code',
];
const SECRET_FIELDS = SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
