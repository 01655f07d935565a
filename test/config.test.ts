import { expect } from 'chai';
import { readConfig, trialAddress } from '../src/config.ts';
import { newSealingKey } from '../src/kernel/seal.ts';
import { runProgram, startScript } from './support/processes.ts';
import { testSettings } from './support/service.ts';

const PAYEE = `0x${'01'.repeat(20)}`;
const [KEY, OTHER] = [newSealingKey(), newSealingKey()].map((entry) => entry.split(':')[1]);
const processor = { PROCESSOR_SECRET_KEY: 'sk_test_own', PROCESSOR_WEBHOOK_SECRET: 'whsec_own' };
const HTTPS = 'https://partners.example.com';
/** What production demands, beside an https address or NODE_ENV. */
const live = {
  ...{ REGISTRATION_PAYEES: PAYEE, WEBHOOK_LOOPBACK: 'false' },
  ...{ NETVENUE_IN_FLIGHT_MS: '105000', REGISTRATION_MARGIN_S: '30' },
  ...{ EXVENUE_CLOCK_MARGIN_MS: '5000', EXVENUE_READ_LAG_MS: '60000' },
};
const settings = testSettings('postgres://nobody@127.0.0.1:1/nowhere', {
  minerUrl: 'http://127.0.0.1:1',
  validatorUrl: 'http://127.0.0.1:1',
});

describe('the settings', () => {
  it('reject a time that timers or the database cannot hold, which would end at once or never', () => {
    for (const [name, value] of [
      ['NETVENUE_PATIENCE_MS', String(2 ** 31)],
      ['STREAM_HEARTBEAT_MS', '9999999999'],
      ['RETAIN_ORDERS_DAYS', '9999999'],
    ] as const)
      expect(() => readConfig({ ...settings, [name]: value }), name).to.throw(new RegExp(`^Setting ${name}: `));
    expect(() => readConfig({ ...settings, ORDER_DEADLINE_MS: String(2 ** 31 - 1) })).not.to.throw();
  });

  it('report the missing address past the pooler', () => {
    expect(() => readConfig({ ...settings, DATABASE_POOLER: 'transaction' })).to.throw(
      /^Setting DATABASE_DIRECT_URL: needed/,
    );
  });

  it('accept a pooler next to a direct address', () => {
    const { directUrl, DATABASE_URL } = readConfig({
      ...settings,
      DATABASE_POOLER: 'transaction',
      DATABASE_DIRECT_URL: 'postgres://nobody@127.0.0.1:2/nowhere',
    });

    expect([DATABASE_URL, directUrl]).to.deep.equal([settings.DATABASE_URL, 'postgres://nobody@127.0.0.1:2/nowhere']);
  });

  for (const [production, source] of [
    [{ NODE_ENV: 'production', PUBLIC_URL: HTTPS }, 'by the environment'],
    [{ PUBLIC_URL: HTTPS }, 'by an https address'],
  ] as const) {
    it(`reject every fixed secret of the sandbox in production, ${source}`, () => {
      const read = (more: Record<string, string>) => () =>
        readConfig({ ...settings, ...live, ...processor, ...production, ...more });

      for (const [name, value] of [
        ['NETVENUE_MINER_KEY', 'sandbox-miner-key'],
        ['NETVENUE_MINER_KEY', 'sandbox-miner-key:tenant'],
        ['NETVENUE_VALIDATOR_KEY', 'sandbox-validator-key'],
        ['PROCESSOR_SECRET_KEY', 'sk_test_sandbox'],
        ['PROCESSOR_WEBHOOK_SECRET', 'whsec_sandbox_processor'],
        ['PROCESSOR_WEBHOOK_SECRET', 'whsec_real, whsec_sandbox_processor'],
      ] as const)
        expect(read({ [name]: value }), value).to.throw(new RegExp(`^Setting ${name}: a secret of the sandbox`));
      expect(read({})).not.to.throw();
    });

    it(`require the payees of registrations in production, ${source}`, () => {
      const { REGISTRATION_PAYEES: _, ...others } = live;

      expect(() => readConfig({ ...settings, ...others, ...production })).to.throw(
        /^Setting REGISTRATION_PAYEES: needed in production: the addresses/,
      );
    });

    for (const [name, value, wrong] of [
      ['SEALING_KEYS', `k1:${Buffer.alloc(32).toString('base64')}`, /bytes are all the same/],
      ['AGREEMENT_KEYS', `k1:${Buffer.alloc(32, 0xff).toString('base64')}`, /bytes are all the same/],
      ['WEBHOOK_LOOPBACK', 'true', /not in production/],
      ['NETVENUE_IN_FLIGHT_MS', '104999', /at least 105000/],
      ['EXVENUE_CLOCK_MARGIN_MS', '4999', /at least 5000/],
      ['EXVENUE_READ_LAG_MS', '59999', /at least 60000/],
      ['REGISTRATION_MARGIN_S', '29', /at least 30/],
    ] as const)
      it(`reject ${name} as in a trial, ${source}`, () => {
        const read = (more: Record<string, string>) => () =>
          readConfig({ ...settings, ...live, ...production, ...more });

        expect(read({ [name]: value })).to.throw(new RegExp(`^Setting ${name}: .*${wrong.source}`));
        expect(read({})).not.to.throw();
      });
  }

  it('require the proof of a linked wallet in production, unless they say otherwise', () => {
    const production = { ...settings, ...live, NODE_ENV: 'production', PUBLIC_URL: HTTPS };

    expect(readConfig(settings).WALLET_LINK_PROOF).to.equal('optional');
    expect(readConfig(production).WALLET_LINK_PROOF).to.equal('required');
    expect(readConfig({ ...production, WALLET_LINK_PROOF: 'optional' }).WALLET_LINK_PROOF).to.equal('optional');
  });

  it('reject an address that is not https in production', () => {
    expect(() => readConfig({ ...settings, ...live, NODE_ENV: 'production' })).to.throw(
      /^Setting PUBLIC_URL: must be https/,
    );
  });

  it('let npm start simulate nothing behind an https address', () => {
    process.env.PUBLIC_URL = HTTPS;
    try {
      expect(trialAddress).to.throw(/^Setting DATABASE_URL: needed in production/);
    } finally {
      delete process.env.PUBLIC_URL;
    }
  });

  it('reject names that only look like settings, in production', () => {
    const production = { ...settings, ...live, PUBLIC_URL: HTTPS };
    process.env.NETVENUE_MINER_URI = 'http://127.0.0.1:1';
    try {
      expect(() => readConfig(production)).to.throw(/^Setting NETVENUE_MINER_URI: no such setting/);
      expect(() => readConfig(settings)).not.to.throw();
    } finally {
      delete process.env.NETVENUE_MINER_URI;
    }
  });

  for (const [text, why] of [
    ['', 'nothing'],
    [' ', 'blank'],
    ['k1:c2hvcnQ=', 'too short'],
    [`${newSealingKey()},k1:`, 'an entry without a key'],
    [`k1:${KEY},k1:${OTHER}`, 'an id twice'],
    [`k1:${KEY},k2:${KEY}`, 'a key twice'],
  ] as const)
    it(`name a keyring that is wrong: ${why}`, () => {
      for (const name of ['SEALING_KEYS', 'AGREEMENT_KEYS'])
        expect(() => readConfig({ ...settings, [name]: text })).to.throw(
          new RegExp(`^Setting ${name}: id:base64 of 32 bytes`),
        );
    });

  it('name a budget that does not add up, and the setting that decides it', () => {
    const exits = { NETVENUE_MINER_THREADS: '10', NETVENUE_EXIT_SLOTS: '9' };
    const few = { NETVENUE_SIGNALS_PER_MIN: '0' };

    expect(() => readConfig({ ...settings, ...exits })).to.throw(
      /^Setting NETVENUE_EXIT_SLOTS: the budget "miner" .* does not add up/,
    );
    expect(() => readConfig({ ...settings, ...few })).to.throw(/^Setting NETVENUE_SIGNALS_PER_MIN: /);
  });

  it('name every setting that is missing', () => {
    const { DATABASE_URL: _, SEALING_KEYS: __, ...rest } = settings;

    expect(() => readConfig(rest)).to.throw('Setting DATABASE_URL: missing\nSetting SEALING_KEYS: missing');
  });

  for (const [name, text] of [
    ['DATABASE_URL', 'hidden'],
    ['DATABASE_URL', 'postgres://tps:hidden#1@127.0.0.1:5432/db'],
    ['DATABASE_URL', 'postgres://tps:hid/den@127.0.0.1:5432/db'],
    ['DATABASE_URL', 'postgres://tps:hidden%@127.0.0.1:5432/db'],
    ['DATABASE_DIRECT_URL', 'postgres://tps:hidden?1@127.0.0.1:5432/db'],
    ['SMTP_URL', 'smtp://tps:hidden%@mail.example.com'],
    ['SMTP_URL', 'smtp:hidden.example.com:587'], // which is a path
    ['NETVENUE_MINER_URL', 'hidden.example.com:8088'], // which is a URL of the scheme hidden.example.com
    ['EXVENUE_URL', 'wss://hidden.example.com'],
    ['PUBLIC_URL', 'hidden.example.com:443'],
  ] as const)
    it(`name ${name} where it is no address of its kind, and show nothing of it: ${text}`, () => {
      expect(() => readConfig({ ...settings, [name]: text }))
        .to.throw(new RegExp(`^Setting ${name}: (an address|a %|names no server)`))
        .with.property('message')
        .that.does.not.match(/hid/);
    });

  it('are unset where they are blank: a number would be 0', () => {
    const names = ['NETVENUE_IN_FLIGHT_MS', 'DUAL_CONTROL_CENTS', 'REGISTRATION_GRACE_MS'] as const;
    const before = readConfig(settings);
    for (const name of names) process.env[name] = ' ';
    try {
      expect(readConfig(settings)).to.deep.equal(before);
    } finally {
      for (const name of names) delete process.env[name];
    }
  });

  it('end a process with one log line that names what is wrong, and no value', async () => {
    const release = await runProgram('release', { ...settings, SEALING_KEYS: 'k1:hidden', PORT: '-1' });

    expect(release.code).to.equal(1);
    const lines = release.lines.filter((line) => line !== '');
    expect(lines).to.have.length(1);
    const { settings: named, msg } = JSON.parse(lines[0] ?? '');
    expect(msg).to.equal('wrong settings');
    expect(named.map((line: string) => line.split(':')[0])).to.deep.equal(['Setting PORT', 'Setting SEALING_KEYS']);
    expect(lines[0]).not.to.include('hidden');
  });

  it('take the keys that keys:create prints', async () => {
    const script = startScript('src/commands/keys-create.ts', settings, []);
    await script.exited;

    const printed = Object.fromEntries(script.lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
    const read = readConfig({ ...settings, ...live, PUBLIC_URL: HTTPS, ...printed });

    expect(Object.keys(printed)).to.deep.equal(['SEALING_KEYS', 'AGREEMENT_KEYS']);
    expect(read).to.include(printed);
  });

  it('reject half a processor', () => {
    for (const name of ['PROCESSOR_SECRET_KEY', 'PROCESSOR_WEBHOOK_SECRET'])
      expect(() => readConfig({ ...settings, ...processor, [name]: undefined as never }), name).to.throw(
        /^Setting PROCESSOR_WEBHOOK_SECRET: needed with PROCESSOR_SECRET_KEY/,
      );
  });

  it('accept the secrets of the sandbox where nobody else reaches the service', () => {
    expect(() => readConfig({ ...settings, NETVENUE_MINER_KEY: 'sandbox-miner-key' })).not.to.throw();
  });

  it('pin the payees of registrations where they are set', () => {
    const [a, b] = [`0x${'aB'.repeat(20)}`, `0x${'01'.repeat(20)}`];
    const payeesOf = (more: Record<string, string>) => readConfig({ ...settings, ...more }).REGISTRATION_PAYEES;

    expect(payeesOf({})).to.equal(null);
    expect(payeesOf({ REGISTRATION_PAYEES: `${a}, ${b}` })).to.deep.equal([a.toLowerCase(), b]);
    expect(() => payeesOf({ REGISTRATION_PAYEES: `${a},me` })).to.throw(/^Setting REGISTRATION_PAYEES/);
  });
});
