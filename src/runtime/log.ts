import pino, { type Logger } from 'pino';
import type { Config } from '../config.ts';
import { serializeError } from '../kernel/serialize-error.ts';

/**
 * Opens the logger of the process: JSON lines on standard output. Fields named like a secret are redacted, down to
 * depth 3. The code of an error is not one: it says what failed, as an SQLSTATE or a name of the system.
 */
export const openLog = ({ LOG_LEVEL }: Pick<Config, 'LOG_LEVEL'>): Logger =>
  pino({
    level: LOG_LEVEL,
    base: null,
    redact: { paths: SECRET_FIELDS, censor: '[redacted]' },
    serializers: { err: serializeError },
  });

const SECRET_NAMES = ['authorization', 'password', 'private_key', 'secret', 'token', 'key', 'totp_code', 'email_code'];
const CODES = ['code', 'body.code', 'query.code', 'request.code', 'payload.code']; // mailed codes; not `err.code`
const SECRET_FIELDS = [...SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), ...CODES];
