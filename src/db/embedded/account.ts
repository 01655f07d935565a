import { type SpawnOptions, spawnSync } from 'node:child_process';
import { lchown, readdir, readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';

/** Who runs the server: `identity` goes to spawn, `wrap` is put before the command. Files must belong to `owner`. */
export type Account = {
  identity: { uid?: number; gid?: number };
  wrap: string[];
  owner?: { uid: number; gid: number };
};

/** All the server is told of its surroundings: none of our own settings or secrets, nor stray PG* or locale variables. */
const surroundings = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };

/**
 * The account for a data directory. PostgreSQL refuses root, so root steps down to the first that can reach both programs
 * and data: whoever owns the place, `postgres`, `nobody`; behind a private path, to an unmapped user namespace.
 */
export async function chooseAccount(program: string, dataDir: string): Promise<Account> {
  if (process.getuid?.() !== 0) return hasName() ? { identity: {}, wrap: [] } : { identity: {}, wrap: unmapped };
  const candidates = [...(await lesserAccounts(dataDir)), unmappedRoot];
  const chosen = candidates.find((account) => reaches(account, program, dirname(dataDir)));
  if (!chosen) throw new Error(`PostgreSQL refuses root, and no other account reaches both ${program} and ${dataDir}.`);
  return chosen;
}

/** The command line and spawn options that run `program` under the account. */
export function under(account: Account, program: string, args: string[]): [string, string[], SpawnOptions] {
  const [command = program, ...rest] = [...account.wrap, program, ...args];
  return [command, rest, { ...account.identity, env: surroundings, cwd: '/' }];
}

/** Gives a directory and all in it to the account; costs one stat when it is the account's already. */
export async function handOver(dir: string, { owner }: Account): Promise<void> {
  if (!owner || (await stat(dir)).uid === owner.uid) return;
  for (const entry of await readdir(dir, { recursive: true })) await lchown(join(dir, entry), owner.uid, owner.gid);
  await lchown(dir, owner.uid, owner.gid);
}

/** In a user namespace without a map the process is `nobody` to itself, while files are reached as its true account's. */
const unmapped = ['unshare', '--user', '--'];
const unmappedRoot: Account = { identity: {}, wrap: unmapped, owner: { uid: 0, gid: 0 } };

/** PostgreSQL wants its account to have a name; one made up by a container platform has none. */
function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

async function lesserAccounts(dataDir: string): Promise<Account[]> {
  const known = await knownAccounts();
  const holder = await holderOf(dataDir);
  const wanted = [known.find(({ uid }) => uid === holder), named(known, 'postgres'), named(known, 'nobody')];
  return wanted
    .filter((account): account is Known => account !== undefined && account.uid !== 0)
    .map(({ uid, gid }) => ({ identity: { uid, gid }, wrap: [], owner: { uid, gid } }));
}

/** Whose place it is: the first owner other than root on the way up. */
async function holderOf(path: string): Promise<number> {
  const uid = await stat(path).then(
    (found) => found.uid,
    () => 0,
  );
  return uid !== 0 || path === dirname(path) ? uid : holderOf(dirname(path));
}

type Known = { name: string; uid: number; gid: number };

function named(known: Known[], name: string): Known | undefined {
  return known.find((account) => account.name === name);
}

async function knownAccounts(): Promise<Known[]> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n').filter(Boolean);
  return lines.map((line) => {
    const [name = '', , uid, gid] = line.split(':');
    return { name, uid: Number(uid), gid: Number(gid) };
  });
}

/** Tried, not computed: modes, ACLs, mounts and a missing `unshare` all show in the exit code. */
function reaches(account: Account, program: string, dir: string): boolean {
  const [command, args, options] = under(account, '/bin/sh', ['-c', 'cd "$1" && "$0" --version', program, dir]);
  return spawnSync(command, args, { ...options, stdio: 'ignore' }).status === 0;
}
