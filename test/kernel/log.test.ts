import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const LOG = fileURLToPath(new URL('../../src/runtime/log.ts', import.meta.url));

/** What a process logs for some fields, as an expression. */
function logged(fields: string, name = ''): Record<string, unknown> {
  const program = `import { openLog } from ${JSON.stringify(LOG)}; openLog({ LOG_LEVEL: 'info' }, '${name}').info(${fields}, 'said');`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  return JSON.parse(stdout);
}

describe('an alert', () => {
  it('is counted whatever level is written, also one of a part of the process', () => {
    const counted = (level: string) => {
      const program = `import { openLog } from ${JSON.stringify(LOG)};
        const log = openLog({ LOG_LEVEL: '${level}' }, '', (alert) => process.stderr.write(alert + ' '));
        log.info({}, 'nothing');
        for (const each of [log, log.child({ process: 'web' })]) each.error({ alert: 'an_alert' }, 'said');
        log.fatal({}, 'the last line');`;
      const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
        encoding: 'utf8',
      });
      return [stderr, ...stdout.split('\n').flatMap((line) => (line ? JSON.parse(line).msg : []))];
    };

    expect(counted('error')).to.deep.equal(['an_alert an_alert ', 'said', 'said', 'the last line']);
    expect(counted('fatal')).to.deep.equal(['an_alert an_alert ', 'the last line']);
    expect(counted('silent')).to.deep.equal(['an_alert an_alert ']);
  });
});

describe('a log line', () => {
  it('names the process and its version', () => {
    expect(logged('{}', 'worker')).to.include({ process: 'worker', version: '0.1.0' });
  });

  it('shows the code of an error and of its causes, as an SQLSTATE or a name of the system', () => {
    const full = `Object.assign(new Error('no space', { cause: Object.assign(new Error('write'), { code: 'ENOSPC' }) }), { code: '53100' })`;

    const { err } = logged(`{ err: ${full} }`) as {
      err: { error_code: string; cause: { error_code: string } };
    };

    expect(err.error_code).to.equal('53100');
    expect(err.cause.error_code).to.equal('ENOSPC');
  });

  it('has no secret in a list, in an object with a class, or in an error that is not its own', () => {
    const line = logged(
      `{ rows: [{ token: 'sess_1' }], at: new Date(0), made: new (class { key = 'sess_1'; id = 7 })(),
         tried: { error: Object.assign(new Error('x'), { code: '123456' }) }, bytes: { of: Buffer.from('ab') }, none: null }`,
    );

    expect(JSON.stringify(line)).not.to.match(/123456|sess_1/);
    expect(line).to.deep.include({ at: '1970-01-01T00:00:00.000Z', made: { key: '[redacted]', id: 7 }, none: null });
    expect(line.bytes).to.deep.equal({ of: { type: 'Buffer', data: [97, 98] } });
  });

  it('has no secret under its own name, nor under a field', () => {
    const line = logged(
      `{ code: '123456', body: { code: '123456', token: 'sess_1' }, call: { body: { code: '123456' } }, err: { token: 'sess_1' } }`,
    );

    expect(JSON.stringify(line)).not.to.match(/123456|sess_1/);
    expect(line.code).to.equal('[redacted]');
  });

  it('has none under any of the names that secrets have in requests and settings', () => {
    const names = [
      ...['authorization', 'password', 'private_key', 'secret', 'token', 'key'],
      ...['code', 'totp_code', 'email_code'],
    ];
    const line = logged(JSON.stringify({ body: Object.fromEntries(names.map((name) => [name, 'sess_1'])) }));

    expect(line.body).to.deep.equal(Object.fromEntries(names.map((name) => [name, '[redacted]'])));
  });
});
