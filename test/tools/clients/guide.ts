import { readFile } from 'node:fs/promises';

/** A generator as the guide shows it: its name and version, the commands that a reader types, and a program. */
export type Generator = { name: string; version: string; commands: string; program: string };

/** The generators of the guide. The commands of each begin with those that all folders begin with. */
export async function readGenerators(): Promise<Generator[]> {
  const guide = await readFile(new URL('../../../src/docs/generators.md', import.meta.url), 'utf8');
  const [introduction = '', ...sections] = guide.split(/^## /m);
  const beginning = block(introduction, 'sh');
  return sections.map((section) => {
    const script = block(section, 'sh');
    return {
      name: section.split('\n')[0] ?? '',
      version: /[\w-]@(\d[\w.-]*)/.exec(script)?.[1] ?? '',
      commands: beginning + script,
      program: block(section, 'ts'),
    };
  });
}

/** The first block of a language. */
function block(text: string, language: string): string {
  const found = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(text)?.[1];
  if (found === undefined) throw new Error(`No ${language} block: ${text.slice(0, 40)}`);
  return found;
}
