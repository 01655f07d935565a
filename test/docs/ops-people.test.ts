import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { addressedAs } from '../support/postgres.ts';

const PASSWORD = 'violet harbour 1928 staple\n';

describe('npm run ops, with the settings of a web process', function () {
  this.timeout(120_000);
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  /** Runs a command. Resolves to its exit code, and what it printed. */
  const ops = (args: string[], { input = '', settings = {} as Record<string, string> } = {}) => {
    const env = { PATH: process.env.PATH, ...addressedAs('web', { DATABASE_URL: intentDb.url }), ...settings };
    const { status, stdout, stderr } = spawnSync(process.execPath, ['src/commands/ops.ts', ...args], {
      ...{ encoding: 'utf8', input, env, timeout: 30_000 },
    });
    return { status, stdout, stderr: stderr.replace(/^Password of .*?: /, '') };
  };
  const audit = () =>
    intentDb.query<{ action: string; subject: string; address: string }>(
      'select action, subject, address from admin_audit order by at',
    );

  it('makes an operator, a partner and an app, and resets the operator; each is in the audit', async () => {
    const made = [
      ops(['admin:create', 'Ada@example.com'], { input: PASSWORD }),
      ops(['admin:create', 'ada@example.com', '--reset'], { input: PASSWORD }),
      ops(['partner:create', 'Acme']),
      ops(['app:create', 'acme', 'Acme']),
    ];

    expect(made.map(({ status }) => status)).to.deep.equal([0, 0, 0, 0]);
    const [created, reset, partner, app] = await audit();
    expect([created, reset, partner, app].map((row) => row?.action)).to.deep.equal([
      ...['operator.create', 'operator.reset', 'partner.create', 'app.create'],
    ]);
    expect(made[0]?.stdout).to.contain(created?.subject);
    expect(reset?.subject).to.equal(created?.subject);
    expect(made[2]?.stdout).to.contain(partner?.subject);
    expect(app?.address).to.equal('command line');
  });

  it('says on one line what was not done, and ends with a status other than 0', async () => {
    const before = (await audit()).length;

    expect(ops(['admin:create', 'ada@example.com'], { input: PASSWORD })).to.deep.equal({
      ...{ status: 1, stdout: '' },
      stderr: 'There is an operator ada@example.com already: --reset sets a new password.\n',
    });
    expect(ops(['admin:create', 'nobody@example.com', '--reset'], { input: PASSWORD })).to.deep.equal({
      ...{ status: 1, stdout: '', stderr: 'Unknown operator nobody@example.com.\n' },
    });
    expect(ops(['admin:create', 'ada@example.com', '--reset'])).to.deep.equal({
      ...{ status: 2, stdout: '', stderr: 'The password is too short or too easy to guess.\n' },
    });
    expect(ops(['app:create', 'acme', 'Acme'])).to.deep.equal({
      ...{ status: 1, stdout: '', stderr: 'The slug is already used by another app.\n' },
    });
    expect(await audit()).to.have.length(before);
  });

  it('shows nothing of an address or a key that is wrong', () => {
    for (const [args, settings, said] of [
      [
        ['partner:create', 'A'],
        { DATABASE_URL: 'postgres://tps:hid#den@127.0.0.1:1/db' },
        /^Setting DATABASE_URL: .*\n$/,
      ],
      [['reseal'], { SEALING_KEYS: 'k1:hidden' }, /^Setting SEALING_KEYS: .*\n$/],
      [['agreements:verify'], { AGREEMENT_KEYS: 'k1:hidden' }, /^Setting AGREEMENT_KEYS: .*\n$/],
    ] as const) {
      const { status, stderr } = ops([...args], { settings });

      expect(status, args[0]).to.equal(1);
      expect(stderr).to.match(said).and.not.match(/hid/);
    }
  });

  it('says so and ends where the database does not respond', () => {
    expect(
      ops(['partner:create', 'A'], { settings: { DATABASE_URL: 'postgres://tps:hidden@127.0.0.1:1/db' } }),
    ).to.deep.equal({
      ...{ status: 1, stdout: '', stderr: 'connect ECONNREFUSED 127.0.0.1:1\n' },
    });
  });
});
