import { spawnSync } from 'node:child_process';
import { expect } from 'chai';

const { PATH, NODE_COMPILE_CACHE } = process.env;
const env = { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
const ops = (...args: string[]) =>
  spawnSync(process.execPath, ['src/commands/ops.ts', ...args], { encoding: 'utf8', env });

describe('npm run ops', () => {
  it('lists the commands with their arguments when it is given none, or an unknown one', () => {
    for (const args of [[], ['partner'], ['toString']]) {
      const { status, stderr } = ops(...args);

      expect(status).to.equal(2);
      expect(stderr).to.match(/^npm run ops -- app:create slug "Name of the app" .*\n {4}a tenant app;/m);
    }
  });

  it('runs the command that it is given with the arguments that follow', () => {
    expect(ops('keys:create').stdout).to.match(/^SEALING_KEYS=\S+\nAGREEMENT_KEYS=\S+\n$/);
    const checked = ops('verify', '--secret', 'whsec_x', '/dev/null');
    expect({ status: checked.status, stderr: checked.stderr }).to.deep.equal({
      status: 2,
      stderr: 'There is no empty line between the headers and the body.\n',
    });
  });

  it('shows how a command is called whose arguments are wrong', () => {
    const { status, stderr } = ops('recover');

    expect(status).to.equal(2);
    expect(stderr).to.match(/^Usage: npm run ops -- recover --since 2026-01-31T04:00:00Z\nA past time with its zone/);
  });

  it('recovers since no time whose zone or order of days is a guess', () => {
    for (const since of ['2026-01-31T04:00:00', '2026-01-31 04:00', '2026-01-31', '02/01/2026 04:00 UTC', '31', 'now'])
      expect(ops('recover', '--since', since), since).to.deep.include({ status: 2, stdout: '' });
    for (const since of ['2026-01-31T04:00Z', '2026-01-31 04:00:00 UTC', '2026-01-31 05:00:00.123456+01'])
      expect(ops('recover', '--since', since).stderr, since).to.match(/^Setting DATABASE_URL: missing/);
  }).timeout(60_000);

  it('runs no command with an option that it does not have, a value too many, or none for an option', () => {
    for (const args of [
      ['admin:create', 'ada@example.com', '--rest'],
      ['admin:create', 'ada@example.com', '--role'],
      ['admin:create', 'ada@example.com', 'support'],
      ['admin:create', 'ada@example.com', '--role', 'support', '--reset'],
      ['partner:create', '--help'],
      ['partner:create', 'A', 'partner'],
      ['app:create', 'slug', 'Name', '--scope', 'api'],
      ['recover', '--since', '2026-01-31', '--until', '2026-02-01'],
      ['listen', '--forward', 'http://127.0.0.1:1'],
      ['verify', '--secrets', 'whsec_x'],
      ['agreements:verify', '--receipts', 'receipts.json'],
    ]) {
      const { status, stderr } = ops(...args);

      expect(status, `${args}: ${stderr}`).to.equal(2);
      expect(stderr).to.match(new RegExp(`^Usage: npm run ops -- ${args[0]} `));
    }
  }).timeout(60_000);
});
