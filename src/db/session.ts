/**
 * The parameters of every session of this service. A role, a database or a server can have others: dates that are read
 * wrongly, another level of isolation, other names before ours. Parameters that a session sets for itself take
 * precedence over all of these. https://www.postgresql.org/docs/current/config-setting.html#CONFIG-SETTING-SHELL
 */
const PARAMETERS = {
  DateStyle: 'ISO,MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  idle_session_timeout: '0', // connections of a quiet hour would be closed, and each be reported as an outage
  search_path: 'public',
  enable_seqscan: 'off', // plans are cached, also those made while a table was small (decision 088)
  jit: 'off', // compiling a plan takes longer than any statement of ours
};

/** The address of a database with the parameters of its sessions, and `more` of them. Not for a transaction pooler. */
export function withSession(url: string, more: Record<string, string> = {}): string {
  const address = new URL(url);
  const given = address.searchParams.get('options');
  const options = Object.entries({ ...PARAMETERS, ...more }).map(([name, value]) => `-c ${name}=${escaped(value)}`);
  address.searchParams.set('options', [...(given ? [given] : []), ...options].join(' '));
  return address.href;
}

const escaped = (value: string) => value.replace(/[\\ ]/g, '\\$&');
