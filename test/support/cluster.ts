import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openNetwork } from './network.ts';
import { until } from './processes.ts';

/** The cluster of the guide of high availability: its hosts are folders and network namespaces of this machine. */
export type Cluster = {
  /** The address that the guide gives to the service, of an empty database. */
  url: string;
  /** The name of the host that has the lock. Rejects while there is none. */
  primary(): Promise<string>;
  /** Whether the PostgreSQL of a host would accept a write, by what it says there itself. */
  isWritable(host: string): Promise<boolean>;
  /** Runs the block of the guide with this title on a host and returns what it prints. */
  run(title: string, host: string): Promise<string>;
  /** Waits until a leader, a synchronous standby and a third host are in step. */
  whole(): Promise<unknown>;
  drop(): Promise<void>;
};

/** A shell block of the guide. The first line names its hosts, after a title if it has one. */
type Block = { title: string; hosts: string[]; text: string };

type Host = { name: string; root: string; address: string; on: string[] };

const GUIDE = fileURLToPath(new URL('../../src/docs/high-availability.md', import.meta.url));
const SHIMS = fileURLToPath(new URL('hosts', import.meta.url));
const PROGRAMS = [
  'bin/patroni',
  'bin/patronictl',
  'bin/etcd',
  'sbin/haproxy',
  'lib/postgresql/15/bin/postgres',
  'sbin/ip',
  'sbin/nft',
];
const DATABASE_HOSTS = { db1: 11, db2: 12, db3: 13 };
const HERE = { app1: 21 };
const FOLDERS = ['etc/default', 'etc/patroni', 'etc/haproxy', 'run', 'var/log'];
const OWNED = { 'var/lib/etcd': 'etcd', 'var/lib/postgresql': 'postgres', 'var/run/postgresql': 'postgres' };
const UNITS = ['patroni', 'etcd', 'haproxy'];
const WHOLE_MS = 120_000;
const IS_STANDBY =
  'PGCONNECT_TIMEOUT=3 PGPASSWORD=$SUPERUSER_PASSWORD psql -h $ADDRESS -U postgres -Atc "select pg_is_in_recovery()"';

/** Whether the guide's packages are on this machine, and its processes can be given their accounts. */
export const canOpenCluster = (): boolean =>
  process.getuid?.() === 0 && PROGRAMS.every((program) => existsSync(`/usr/${program}`));

/** Sets up the cluster with the commands of the guide. */
export async function openCluster(): Promise<Cluster> {
  const blocks = await readBlocks();
  const folder = await mkdtemp(join(tmpdir(), `tps-test-${process.pid}-ha-`));
  await chmod(folder, 0o755);
  const network = openNetwork(DATABASE_HOSTS, HERE.app1);
  const hosts = Object.entries({ ...DATABASE_HOSTS, ...HERE }).map(([name, last]) => {
    const on = name in HERE ? [] : network.on(name);
    return { name, root: join(folder, name), address: `${network.prefix}.${last}`, on };
  });
  const named = (name: string) => hosts.find((host) => host.name === name) ?? fail(`There is no host ${name}`);
  const sh = (name: string, script: string) => shell(named(name), script);
  let witness = 'db1';
  const run = (title: string, name: string) => {
    // a host that comes back shows what it knew when it went, for a while
    if (!title.startsWith('after')) witness = Object.keys(DATABASE_HOSTS).find((each) => each !== name) ?? witness;
    const block = blocks.find((each) => each.title === title) ?? fail(`The guide has no block "${title}"`);
    return sh(name, block.text);
  };
  const list = blocks.find(({ text }) => /patronictl .* list$/m.test(text)) ?? fail('The guide lists no members');
  const members = async () => membersOf(await sh(witness, list.text).catch(() => ''));
  const whole = () =>
    until('a whole cluster', async () => isWhole(await members()) || null, WHOLE_MS).catch(async (cause) => {
      throw new Error(`The cluster is not whole:\n${await sh(witness, list.text)}`, { cause });
    });
  const endWithUs = () => hosts.forEach(killAll);
  process.once('exit', endWithUs);
  const cluster: Cluster = {
    url: '',
    async primary() {
      const leader = (await members()).find(({ role }) => role === 'Leader');
      return leader?.name ?? fail('There is no leader');
    },
    run,
    whole,
    isWritable: (name) =>
      sh(name, IS_STANDBY)
        .then((said) => said.trim() === 'f')
        .catch(() => false),
    async drop() {
      process.off('exit', endWithUs);
      hosts.forEach(killAll);
      network.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await Promise.all(hosts.map(makeHost));
    let printed = '';
    for (const { hosts: names, text } of blocks.filter(({ title }) => title === '')) {
      if (text === list.text) await whole();
      else for (const output of await Promise.all(names.map((name) => sh(name, text)))) printed += output;
    }
    return { ...cluster, url: /^DATABASE_URL=(\S+)$/m.exec(printed)?.[1] ?? fail(`No address in:\n${printed}`) };
  } catch (cause) {
    const log = await readFile(join(folder, 'db1/var/log/patroni.log'), 'utf8').catch(() => '');
    await cluster.drop();
    throw new Error(`The cluster was not set up:\n${log.slice(-2_000)}`, { cause });
  }

  function shell(host: Host, script: string): Promise<string> {
    const [variables] = blocks;
    const settings = (variables?.text ?? '')
      .replace('NAME=db1', `NAME=${host.name}`)
      .replace(/ADDRESS=\S+/, `ADDRESS=${host.address}`);
    const text = ['set -eo pipefail', settings, script].join('\n');
    return bash(host, moved(text, host, network.prefix));
  }
}

async function readBlocks(): Promise<Block[]> {
  const guide = await readFile(GUIDE, 'utf8');
  return [...guide.matchAll(/^```sh\n# (?:(.*): )?(.*)\n([\s\S]*?)^```/gm)].map(
    ([, title = '', hosts = '', text = '']) => ({
      title,
      hosts: hosts === 'every host' ? [] : hosts.split(' '),
      text: text.trim(),
    }),
  );
}

/** The same commands with the addresses of this run, and with the host's folder as the root of its files. */
const moved = (text: string, { root }: Host, net: string): string =>
  text
    .replaceAll('10.0.0.', `${net}.`)
    .replaceAll('127.0.0.1', `${net}.${HERE.app1}`)
    .replaceAll(/(?<![\w/])\/(?=(?:etc|var|run)\/)/g, `${root}/`);

async function bash({ name, root, on }: Host, text: string): Promise<string> {
  const env = {
    ...process.env,
    NAME: name,
    ROOT: root,
    PATH: `${SHIMS}:${process.env.PATH}:/usr/sbin:/usr/bin:/sbin:/bin`,
  };
  const [program = '', ...args] = [...on, 'bash', '-c', text];
  const { stdout } = await promisify(execFile)(program, args, { env, timeout: WHOLE_MS });
  return stdout;
}

async function makeHost({ root }: Host): Promise<void> {
  for (const dir of [...FOLDERS, ...Object.keys(OWNED)]) await mkdir(join(root, dir), { recursive: true });
  for (const [dir, owner] of Object.entries(OWNED)) execFileSync('chown', [`${owner}:`, join(root, dir)]);
}

function killAll({ name, root }: Host): void {
  const env = { ...process.env, NAME: name, ROOT: root };
  execFileSync(join(SHIMS, 'systemctl'), ['kill', '-s', 'SIGKILL', ...UNITS], { env });
}

type Member = { name: string; role: string; state: string; timeline: string };

const membersOf = (list: string): Member[] =>
  [...list.matchAll(/^\| +(\w+) +\| +\S+ +\| +(.+?) +\| +(.+?) +\| +(\d*) +\|/gm)].map(
    ([, name = '', role = '', state = '', timeline = '']) => ({ name, role, state, timeline }),
  );

function isWhole(members: Member[]): boolean {
  const roles = members.map(({ role }) => role).sort();
  const inStep = members.every(
    ({ state, timeline }) => /^(running|streaming)$/.test(state) && timeline === members[0]?.timeline,
  );
  return inStep && roles.join() === 'Leader,Replica,Sync Standby';
}

function fail(message: string): never {
  throw new Error(message);
}
