import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
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
  let rules: Rule[];
  before(async () => {
    const file = parse(await read('src/metrics/alerts.example.yml')) as { groups: { rules: Rule[] }[] };
    rules = file.groups.flatMap((group) => group.rules);
  });

  it('ask for metrics that there are', async () => {
    const { families } = readScrape(await openMetrics().scrape());
    const askedFor = rules.flatMap(({ expr }) =>
      [...expr.matchAll(/\b(tps|nodejs|process)_\w+/g)].map(([name]) => name),
    );

    const unknown = askedFor.filter((name) => !families.includes(name.replace(/_(bucket|sum|count)$/, '')));

    expect(askedFor.length).to.be.at.least(rules.length);
    expect(unknown).to.deep.equal([]);
  });

  it('have a name of their own, a severity, a sentence for whoever is woken, and a place in the README to read on', async () => {
    const headings = [...(await read('README.md')).matchAll(/^## (.+)$/gm)].map(([, heading]) => String(heading));
    const anchors = headings.map(
      (heading) =>
        `README.md#${heading
          .toLowerCase()
          .replace(/[^a-z ]/g, '')
          .replaceAll(' ', '-')}`,
    );

    expect(new Set(rules.map(({ alert }) => alert)).size).to.equal(rules.length);
    for (const { alert, labels, annotations } of rules) {
      expect(alert).to.match(/^[A-Z][A-Za-z]+$/);
      expect(['page', 'warn']).to.include(labels.severity);
      expect(annotations.summary, alert).to.match(/^.{20,}\.$/);
      expect(anchors, alert).to.include(annotations.runbook);
    }
  });
});
