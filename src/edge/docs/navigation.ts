/** A guide: where it is served, its file in `src/docs/`, and where it stands in the list of pages. */
export type Guide = { section: string; path: string; file: string; title: string };

const guide = (section: string, name: string, title: string): Guide => ({
  section,
  path: `/docs/${name}`,
  file: `${name}.md`,
  title,
});

/** The guides in reading order. */
export const guides: Guide[] = [
  { ...guide('Integrating', 'index', 'Overview'), path: '/docs' },
  guide('Integrating', 'getting-started', 'Getting started'),
  guide('Integrating', 'selling', 'Sell a challenge'),
  guide('Integrating', 'trading-both', 'Trade both venues'),
  guide('Integrating', 'writes', 'Accepting and waiting'),
  guide('Integrating', 'errors', 'Errors'),
  guide('Integrating', 'webhooks', 'Events and webhooks'),
  guide('Integrating', 'streams', 'Streams'),
  guide('Integrating', 'sandbox', 'Sandbox'),
  guide('Integrating', 'limits', 'Limits'),
  guide('Integrating', 'client', 'TypeScript client'),
  guide('Integrating', 'generators', 'Other generators'),
  guide('Integrating', 'changes', 'Versioning and changes'),
  guide('Operating', 'deploying', 'Deploying'),
  guide('Operating', 'growing', 'Growing'),
  guide('Operating', 'high-availability', 'High availability'),
  guide('Operating', 'operating', 'Operating'),
  guide('Operating', 'runbooks', 'Runbooks'),
  guide('Operating', 'configuration', 'Configuration'),
  guide('Operating', 'security', 'Security'),
  guide('Operating', 'promises', 'Promises'),
  guide('Operating', 'speed', 'Speed'),
  guide('Operating', 'architecture', 'Architecture'),
  guide('Operating', 'mutants', 'Mutants'),
];
