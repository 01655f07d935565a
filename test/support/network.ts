import { execFileSync } from 'node:child_process';

/** A network of this machine alone: this process is at `.21`, every other host in a network namespace of its own. */
export type PrivateNetwork = {
  /** The first three parts of its addresses. */
  prefix: string;
  /** The words before a command that make it run on a host. */
  on(host: string): string[];
  remove(): void;
};

const ip = (line: string) => execFileSync('ip', line.split(' '), { stdio: 'pipe' });

/** Makes the network, with hosts at these last parts of the address. Only root can. */
export function openNetwork(hosts: Record<string, number>, here: number): PrivateNetwork {
  const prefix = `10.${100 + (process.pid % 100)}.${Math.floor(Math.random() * 256)}`;
  const bridge = `tps${process.pid}`;
  const names = Object.keys(hosts);
  const spaceOf = (name: string) => `${bridge}-${name}`;
  const remove = () => {
    process.off('exit', remove);
    for (const line of [...names.map((name) => `netns del ${spaceOf(name)}`), `link del ${bridge}`]) quietly(line);
  };
  process.once('exit', remove);
  ip(`link add ${bridge} type bridge`);
  ip(`addr add ${prefix}.${here}/24 dev ${bridge}`);
  ip(`link set ${bridge} up`);
  for (const [n, name] of names.entries()) {
    const space = spaceOf(name);
    ip(`netns add ${space}`);
    ip(`link add ${bridge}v${n} type veth peer name eth0 netns ${space}`);
    ip(`link set ${bridge}v${n} master ${bridge} up`);
    ip(`-n ${space} addr add ${prefix}.${hosts[name]}/24 dev eth0`);
    ip(`-n ${space} link set lo up`);
    ip(`-n ${space} link set eth0 up`);
  }
  return { prefix, on: (host) => ['ip', 'netns', 'exec', spaceOf(host)], remove };
}

/** A part of it that was not made, or went with another, is no fault. */
function quietly(line: string): void {
  try {
    ip(line);
  } catch {}
}
