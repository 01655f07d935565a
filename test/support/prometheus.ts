import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from './free-port.ts';
import { until } from './processes.ts';

/** A firing alert. */
type Firing = { alert: string; severity: string };

/** A Prometheus that scrapes processes of this machine and evaluates rules. */
export type Prometheus = {
  /** Scrapes these ports of this machine from now on, and no others. */
  scrape(ports: number[]): Promise<void>;
  firing(): Promise<Firing[]>;
  stop(): Promise<void>;
};

/** The path of Prometheus on this machine, or null. */
export const findPrometheus = (): string | null =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((dir) => join(dir, 'prometheus'))
    .find((file) => existsSync(file)) ?? null;

/** Starts Prometheus with rules that are evaluated as often as it scrapes. */
export async function startPrometheus(program: string, rules: string, everyMs: number): Promise<Prometheus> {
  const dir = await mkdtemp(join(tmpdir(), `tps-test-${process.pid}-prometheus-`));
  const file = (name: string) => join(dir, name);
  const port = await freePort();
  const scrape = async (ports: number[]) => {
    await writeFile(file('next.json'), JSON.stringify([{ targets: ports.map((each) => `127.0.0.1:${each}`) }]));
    await rename(file('next.json'), file('targets.json'));
  };
  await Promise.all([writeFile(file('rules.yml'), rules), writeFile(file('prometheus.yml'), config(everyMs))]);
  await scrape([]);
  const options = ['--config.file', file('prometheus.yml'), '--storage.tsdb.path', file('data')];
  const child = spawn(program, [...options, '--web.listen-address', `127.0.0.1:${port}`, '--log.level', 'warn'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  child.stderr.on('data', (chunk) => said.push(String(chunk)));
  const ended = once(child, 'exit');
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const at = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const isReady = () =>
    at('/-/ready').then(
      ({ ok }) => ok || null,
      () => null,
    );
  await until('Prometheus', isReady, 30_000).catch((cause) => {
    throw new Error(`Prometheus does not respond:\n${said.join('')}`, { cause });
  });
  return {
    scrape,
    async firing() {
      const { data } = (await (await at('/api/v1/alerts')).json()) as Alerts;
      return data.alerts
        .filter(({ state }) => state === 'firing')
        .map(({ labels }) => ({ alert: labels.alertname, severity: labels.severity }));
    },
    async stop() {
      process.off('exit', endWithUs);
      child.kill('SIGKILL');
      await ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

type Alerts = { data: { alerts: { state: string; labels: { alertname: string; severity: string } }[] } };

const config = (everyMs: number) => `global:
  scrape_interval: ${everyMs}ms
  scrape_timeout: ${Math.min(everyMs, 10_000)}ms
  evaluation_interval: ${everyMs}ms
rule_files: [rules.yml]
scrape_configs:
  - job_name: service
    file_sd_configs: [{ files: [targets.json], refresh_interval: 1s }]
`;
