import { document } from '../../contract/document.ts';
import { escaped } from '../../kernel/html.ts';
import { type Json, typeOf } from './schemas.ts';

type Hook = {
  post: {
    description: string;
    tags: [string];
    requestBody: { content: Record<string, { schema: { $ref: string }; example: unknown }> };
  };
};
type Event = { properties: { data: Json } };

/** Every event of the contract's `webhooks`: when it is sent, the members of `data`, and an example. HTML in Markdown. */
export function eventCatalogue(): string {
  const hooks = document.webhooks as unknown as Record<string, Hook>; // as: the contract was checked
  const schemas = (document.components as { schemas: Record<string, Event> }).schemas;
  return Object.entries(hooks)
    .map(([type, { post }]) => {
      const media = post.requestBody.content['application/json'];
      const data = schemas[media?.schema.$ref.split('/').at(-1) ?? '']?.properties.data ?? {};
      return `### ${type}\n\n${post.tags[0].slice(0, 2)}: ${post.description}\n\n${pointing(typeOf(data, `Data of ${type}`))}\n\n\`\`\`json\n${JSON.stringify(media?.example, null, 2)}\n\`\`\`\n`;
    })
    .join('\n');
}

/** Named schemas are in the reference. A blank line would end the HTML. */
const pointing = (html: string) => html.replaceAll('href="#schema-', `href="${escaped('/docs/reference')}#schema-`);
