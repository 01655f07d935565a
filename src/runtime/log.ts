import pino, { type Logger } from 'pino';
import type { Config } from '../config.ts';
import { serializeError } from '../kernel/serialize-error.ts';

/**
 * Opens the logger of the process: JSON lines on standard output. Fields named like a secret are redacted, down to
 * depth 3.
 */
export const openLog = ({ LOG_LEVEL }: Pick<Config, 'LOG_LEVEL'>): Logger =>
  pino({
    level: LOG_LEVEL,
    base: null,
    redact: { paths: SECRET_FIELDS, censor: '[redacted]' },
    serializers: { err: serializeError },
  });

const SECRET_NAMES = ['authorization', 'password', 'private_key', 'secret', 'token', 'key', 'code'];
const SECRET_FIELDS = SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
