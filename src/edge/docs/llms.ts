import { type Guide, guides } from './navigation.ts';

/** Where a guide is served as Markdown. */
export const markdownPath = ({ path }: Pick<Guide, 'path'>): string => `${path === '/docs' ? '/docs/index' : path}.md`;

const listed = (section: string) =>
  guides
    .filter((guide) => guide.section === section)
    .map((guide) => `- [${guide.title}](${markdownPath(guide)})`)
    .join('\n');

/** The index of the guides for programs that read them, in the form of llmstxt.org. */
export const guideList = (): string => `# Trading Partner Service

> One JSON-over-HTTP service in front of two trading venues and a customer life cycle. Every guide is Markdown here; the
> contract is an OpenAPI document.

## Integrating

${listed('Integrating')}

## Reference

- [OpenAPI document](/openapi.json): each operation with code in four languages (\`x-codeSamples\`)
- [Postman collection](/docs/postman.json)

## Optional

${listed('Operating')}
`;
