import { type SpawnOptions, spawnSync } from 'node:child_process';
import { lchown, readdir, readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * The account that runs the server. `identity`: options for spawn. `wrap`: prefix of the command. `owner`: of its
 * files.
 */
export type Account = {
  identity: { uid?: number; gid?: number };
  wrap: string[];
  owner?: { uid: number; gid: number };
};

/** The server's whole environment: without our settings and secrets, and without PG* or locale variables. */
const environment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };

/**
 * The account for a data directory. PostgreSQL does not run as root, so root uses the first account that can reach both
 * program and data: the owner of the location, `postgres`, `nobody`, or root in an unmapped user namespace. Throws if
 * none can.
 */
export async function chooseAccount(program: string, dataDir: string): Promise<Account> {
  if (process.getuid?.() !== 0) return hasUserName() ? { identity: {}, wrap: [] } : { identity: {}, wrap: unmapped };
  const candidates = [...(await lesserAccounts(dataDir)), unmappedRoot];
  const chosen = candidates.find((account) => reaches(account, program, dirname(dataDir)));
  if (!chosen)
    throw new Error(`PostgreSQL does not run as root, and no other account can reach both ${program} and ${dataDir}.`);
  return chosen;
}

/** The command, arguments and spawn options that run `program` as the account. */
export function spawnArgsAs(account: Account, program: string, args: string[]): [string, string[], SpawnOptions] {
  const [command = program, ...rest] = [...account.wrap, program, ...args];
  return [command, rest, { ...account.identity, env: environment, cwd: '/' }];
}

/** Changes the owner of a directory and its content to the account. Costs one `stat` if the account owns it already. */
export async function handOver(dir: string, { owner }: Account): Promise<void> {
  if (!owner || (await stat(dir)).uid === owner.uid) return;
  for (const entry of await readdir(dir, { recursive: true })) await lchown(join(dir, entry), owner.uid, owner.gid);
  await lchown(dir, owner.uid, owner.gid);
}

/** In a user namespace without a map, the process sees itself as `nobody` but accesses files as its real account. */
const unmapped = ['unshare', '--user', '--'];
const unmappedRoot: Account = { identity: {}, wrap: unmapped, owner: { uid: 0, gid: 0 } };

/** PostgreSQL requires an account with a name. Accounts assigned by a container platform may have none. */
function hasUserName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

async function lesserAccounts(dataDir: string): Promise<Account[]> {
  const all = await listAccounts();
  const ownerUid = await ownerOf(dataDir);
  const candidates = [all.find(({ uid }) => uid === ownerUid), findByName(all, 'postgres'), findByName(all, 'nobody')];
  return candidates
    .filter((account): account is PasswdEntry => account !== undefined && account.uid !== 0)
    .map(({ uid, gid }) => ({ identity: { uid, gid }, wrap: [], owner: { uid, gid } }));
}

/** The owner of the location: the first uid other than root on the path upwards; 0 if there is none. */
async function ownerOf(path: string): Promise<number> {
  const uid = await stat(path).then(
    (found) => found.uid,
    () => 0,
  );
  return uid !== 0 || path === dirname(path) ? uid : ownerOf(dirname(path));
}

type PasswdEntry = { name: string; uid: number; gid: number };

function findByName(all: PasswdEntry[], name: string): PasswdEntry | undefined {
  return all.find((account) => account.name === name);
}

async function listAccounts(): Promise<PasswdEntry[]> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n').filter(Boolean);
  return lines.map((line) => {
    const [name = '', , uid, gid] = line.split(':');
    return { name, uid: Number(uid), gid: Number(gid) };
  });
}

/** Tests access by running a command: the exit code covers modes, ACLs, mounts and a missing `unshare`. */
function reaches(account: Account, program: string, dir: string): boolean {
  const [command, args, options] = spawnArgsAs(account, '/bin/sh', ['-c', 'cd "$1" && "$0" --version', program, dir]);
  return spawnSync(command, args, { ...options, stdio: 'ignore' }).status === 0;
}
