import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Client } from 'pg';
import { findPostmaster } from '../../src/db/embedded/postmaster.ts';
import { type Embedded, startEmbedded } from '../../src/db/embedded.ts';

const holder = fileURLToPath(new URL('./holder.ts', import.meta.url));
const settings = { fsync: 'off' };
const debian = '/usr/lib/postgresql/15/bin';
const isRoot = process.getuid?.() === 0;

describe('startEmbedded', () => {
  const dataDir = join(tmpdir(), `tps-test-${process.pid}-embedded`);
  const started: Embedded[] = [];
  const children: ChildProcess[] = [];

  const start = async (more: Partial<Parameters<typeof startEmbedded>[0]> = {}) => {
    const server = await startEmbedded({ dataDir, settings, ...more });
    started.push(server);
    return server;
  };

  const hold = async () => {
    const child = spawn(process.execPath, [holder, dataDir], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value ?? 'null');
    return { child, next, up: (await next()) as { pid: number; owned: boolean } }; // the holder's first line
  };

  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    for (const server of started.splice(0)) await server.stop('immediate');
  });

  after(() => rm(dataDir, { recursive: true, force: true }));

  it('keeps its data between runs', async () => {
    const first = await start();
    await query(first, 'create table kept as select 42 as value');
    await first.stop();

    const second = await start();

    expect(await query(second, 'select value from kept')).to.deep.equal([{ value: 42 }]);
    expect(second.socketDir).to.equal(first.socketDir);
  });

  it('recovers committed data after a crash', async () => {
    const first = await start();
    await query(first, 'create table committed as select 7 as value');
    await first.stop('immediate');

    const second = await start();

    expect(await query(second, 'select value from committed')).to.deep.equal([{ value: 7 }]);
  });

  it('is reachable through a private unix socket only', async () => {
    const server = await start();

    const [, , , , socketDir, tcpAddress] = (await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n');

    expect(socketDir).to.equal(server.socketDir);
    expect(tcpAddress?.trim()).to.equal('');
    expect((await stat(server.socketDir)).mode & 0o777).to.equal(0o700);
    expect(`${server.socketDir}/.s.PGSQL.5432`.length).to.be.below(100);
  });

  it('adopts a server whose process was killed', async () => {
    const { child, up } = await hold();
    child.kill('SIGKILL');
    await once(child, 'exit');

    const server = await start();

    expect(server.pid()).to.equal(up.pid);
    expect(server.owned).to.equal(true);
  });

  it('does not take a server from a live process', async () => {
    const { up } = await hold();

    const server = await start();
    await server.stop();

    expect(server.owned).to.equal(false);
    expect(await findPostmaster(dataDir)).to.include({ pid: up.pid });
  });

  it('starts one server for two processes that start at once', async () => {
    const both = await Promise.all([hold(), hold()]);

    expect(both[0].up.pid).to.equal(both[1].up.pid);
    expect(both.filter(({ up }) => up.owned)).to.have.length(1);
  });

  it('survives Ctrl-C until its own process stops it', async () => {
    const { child, next } = await hold();
    const ended = once(child, 'exit');

    process.kill(-(child.pid ?? 0), 'SIGINT');

    expect(await next()).to.deep.equal({ responsesAfterSignal: true });
    expect(await ended).to.deep.equal([0, null]);
    expect(await findPostmaster(dataDir)).to.equal(null);
  });

  it('starts although the process id of the last server now belongs to another program', async () => {
    await (await start()).stop();
    await writeFile(join(dataDir, 'postmaster.pid'), `${process.pid}\n${dataDir}\n1\n5432\n/nowhere\n\n`);

    const server = await start();

    expect(server.owned).to.equal(true);
  });

  it('reports the server’s own output when it does not start', async () => {
    const problem = await start({ settings: { no_such_setting: 1 } }).catch((caught) => caught);

    expect(problem).to.be.an('error');
    expect(problem.message).to.match(/did not start on .*unrecognized configuration parameter "no_such_setting"/s);
  });

  it(`drops root privileges, also behind a private path${isRoot ? '' : ' (skipped: not root)'}`, async function () {
    if (!isRoot) this.skip();
    const parent = await mkdtemp(join(tmpdir(), `tps-test-${process.pid}-hidden-`));
    const open = await start();

    const concealed = await start({ dataDir: join(parent, 'data') });

    expect(await accountOf(open.pid())).to.be.oneOf(['another', 'unmapped']);
    expect(await accountOf(concealed.pid())).to.equal('unmapped');
    await concealed.stop('immediate');
    await rm(parent, { recursive: true });
  });

  const reason = existsSync(debian) ? '' : ` (skipped: no ${debian})`;
  it(`runs the machine's PostgreSQL 15${reason}`, async function () {
    if (reason) this.skip();
    const older = join(tmpdir(), `tps-test-${process.pid}-older`);

    const server = await start({ dataDir: older, binDir: debian });

    expect(server.version).to.match(/^15\./);
    await server.stop('immediate');
    await rm(older, { recursive: true });
  });
});

async function query(server: Embedded, statement: string): Promise<unknown[]> {
  const client = new Client(server.url);
  await client.connect();
  return client
    .query(statement)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

async function accountOf(pid: number): Promise<'root' | 'another' | 'unmapped'> {
  if ((await stat(`/proc/${pid}`)).uid !== 0) return 'another';
  return (await readFile(`/proc/${pid}/uid_map`, 'utf8')).trim() === '' ? 'unmapped' : 'root';
}
