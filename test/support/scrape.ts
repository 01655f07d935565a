type Labels = Record<string, string>;
type Sample = { name: string; labels: Labels; value: number };

/** The content of one scrape, in Prometheus' text format. */
export type Scraped = {
  text: string;
  /** Names of the families, from their TYPE lines. */
  families: string[];
  samples: Sample[];
  /** The sum of all samples of a name with these labels; undefined when there is none. */
  value(name: string, labels?: Labels): number | undefined;
};

/** Parses a scrape. */
export function readScrape(text: string): Scraped {
  const samples = text.split('\n').flatMap((line) => sampleOf(line) ?? []);
  return {
    text,
    families: [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => String(name)),
    samples,
    value(name, labels = {}) {
      const matching = samples.filter(
        (sample) =>
          sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
      );
      return matching.length === 0 ? undefined : matching.reduce((sum, { value }) => sum + value, 0);
    },
  };
}

function sampleOf(line: string): Sample | null {
  const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (!name) return null;
  const read = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text]);
  return { name, labels: Object.fromEntries(read), value: Number(value) };
}
