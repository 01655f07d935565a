import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { openMetrics } from '../../src/metrics/registry.ts';
import { readScrape } from '../support/scrape.ts';

type Rule = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
};

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFile(join(root, path), 'utf8');

describe('the example alerts', () => {
  let groups: { rules: Rule[] }[];
  let rules: Rule[];
  before(async () => {
    ({ groups } = load(await read('src/metrics/alerts.example.yml')) as { groups: { rules: Rule[] }[] });
    rules = groups.flatMap((group) => group.rules);
  });

  it('use existing metrics', async () => {
    const { families } = readScrape(await openMetrics().scrape());
    const used = rules.flatMap(({ expr }) => [...expr.matchAll(/\b(tps|nodejs|process)_\w+/g)].map(([name]) => name));

    const unknown = used.filter((name) => !families.includes(name.replace(/_(bucket|sum|count)$/, '')));

    expect(used.length).to.be.at.least(rules.length);
    expect(unknown).to.deep.equal([]);
  });

  it('and the dashboard name kinds and tasks that exist', async () => {
    const tasks = (await readdir(join(root, 'workers'), { recursive: true }))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => name.slice(0, -'.ts'.length));
    const dashboard = await read('src/deploy/grafana/dashboard.json');
    const texts = [...rules.map(({ expr }) => expr), dashboard.replaceAll('\\"', '"')];
    const matchers = texts.flatMap((text) =>
      [...text.matchAll(/\b(?:kind|task)[=!]~?"([^"]+)"/g)].map(([, each]) => each),
    );

    const idle = matchers.filter((each) => !tasks.some((task) => new RegExp(`^(?:${each})$`).test(task)));

    expect(matchers.length).to.be.at.least(8);
    expect(idle).to.deep.equal([]);
  });

  it('name every venue wherever they name one', async () => {
    const folders = await readdir(join(root, 'src/venues'), { withFileTypes: true });
    const venues = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const lists = rules.flatMap(({ expr }) =>
      [...expr.matchAll(/\b(?:kind|task|of)!?=~?"([^"]+)"/g)].map(([, list]) => String(list)),
    );
    const ofVenues = lists.filter((list) => venues.some((venue) => list.split(/\W/).includes(venue)));

    expect(ofVenues.length).to.be.at.least(10);
    for (const list of ofVenues) expect(list.split(/\W/), list).to.include.members(venues);
  });

  it('have a unique name, a severity, a summary of one sentence, and a section in the runbooks', async () => {
    const sections = [...(await read('src/docs/runbooks.md')).matchAll(/^## (\w+)\n\n(?=\S)/gm)].map(
      ([, name]) => name,
    );
    expect(sections).to.have.members(rules.map(({ alert }) => alert));
    expect(new Set(rules.map(({ alert }) => alert)).size).to.equal(rules.length);
    for (const { alert, labels, annotations } of rules) {
      expect(alert).to.match(/^[A-Z][A-Za-z]+$/);
      expect(['page', 'warn']).to.include(labels.severity);
      expect(annotations.summary, alert).to.match(/^.{20,}\.$/);
      expect(annotations.runbook, alert).to.equal(`src/docs/runbooks.md#${alert.toLowerCase()}`);
    }
  });

  it('stand in one group behind those that silence them, since groups are evaluated at moments of their own', () => {
    const early = groups.flatMap((group) =>
      group.rules.flatMap(({ alert, expr }, n) => {
        const silencing = [...expr.matchAll(/alertname=~?"([^"]+)"/g)].flatMap(([, names]) => String(names).split('|'));
        const before = group.rules.slice(0, n).map((rule) => rule.alert);
        return silencing.filter((name) => !before.includes(name)).map((name) => `${alert}: ${name}`);
      }),
    );

    expect(early).to.deep.equal([]);
  });
});
