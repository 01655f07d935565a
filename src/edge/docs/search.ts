import MiniSearch from 'minisearch';
import { listOperations, nodeAt } from '../../contract/document.ts';
import { options } from './assets/search.js';
import { guides, renderGuide } from './guides.ts';
import { textOf } from './markup.ts';

/** Something that can be found: a section of a guide, an error, an event or an operation. */
type Entry = { id: number; title: string; page: string; url: string; text: string };

const AT_ONCE = 20; // entries: some milliseconds, between which requests are served

/** The index that the search in the pages loads, as JSON. */
export async function searchIndex(): Promise<string> {
  const index = new MiniSearch<Entry>(options);
  const entries = [...guides.flatMap(sectionsOf), ...operations()];
  await index.addAllAsync(
    entries.map((entry, id) => ({ id, ...entry })),
    { chunkSize: AT_ONCE },
  );
  return JSON.stringify(index);
}

/** A guide is cut before each heading and each row with an id. */
const sectionsOf = (guide: (typeof guides)[number]): Omit<Entry, 'id'>[] =>
  renderGuide(guide)
    .split(/(?=<h[1-4] id=|<tr id=)/)
    .flatMap((html) => {
      const [, id, heading] = /^<(?:h\d|tr) id="([^"]+)">([\s\S]*?)<\/(?:h\d|th)>/.exec(html) ?? [];
      if (id === undefined) return [];
      return [{ title: textOf(heading ?? ''), page: guide.title, url: `${guide.path}#${id}`, text: textOf(html) }];
    });

const operations = (): Omit<Entry, 'id'>[] =>
  listOperations().map(({ id, method, path }) => {
    const {
      summary,
      description = '',
      tags: [tag],
    } = nodeAt(`/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`) as {
      summary: string;
      description?: string;
      tags: [string];
    };
    return {
      title: `${method.toUpperCase()} ${path}`,
      page: 'Reference',
      url: `/docs/reference#${id}`,
      text: `${tag} ${summary}. ${id} ${description}`,
    };
  });
