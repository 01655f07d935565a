import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { templates } from '../../src/capabilities/mail/templates.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Where a template is named: the second argument of the functions that write a mail, and what stands for one. */
const NAMING = [
  /\b(?:post_mail|mail_user)\(\s*[^,]+,\s*([^,]+),/g,
  /\b(?:mailUser\(|template: )('\w+')/g,
  /function code_template\(([\s\S]+)/g,
];
const WITHOUT = ['none', 'notification']; // no mail is sent, and one whose text an app supplies

describe('the templates of mails', () => {
  it('are those that code and SQL name: a mail without one is never sent', async () => {
    const files = await Array.fromAsync(glob(['sql/functions/**/*.sql', 'src/capabilities/**/*.ts'], { cwd: ROOT }));
    const texts = await Promise.all(files.map((file) => readFile(`${ROOT}/${file}`, 'utf8')));
    const naming = texts.flatMap((text) =>
      NAMING.flatMap((each) => [...text.matchAll(each)].map(([, names]) => names)),
    );
    const named = new Set(naming.flatMap((names = '') => [...names.matchAll(/'(\w+)'/g)].map(([, name]) => name)));

    expect([...named]).to.have.members([...Object.keys(templates), ...WITHOUT]);
  });

  it('name the sender of each mail that SQL posts, except to operators: while an app is disabled, its mails wait', async () => {
    const files = await Array.fromAsync(glob('sql/functions/**/!(post_mail).sql', { cwd: ROOT }));
    const texts = await Promise.all(files.map((file) => readFile(`${ROOT}/${file}`, 'utf8')));
    const posted = texts.flatMap((text) => [...text.matchAll(/\bpost_mail\([^;]*/g)].map(([call]) => call));

    expect(posted).to.have.length.above(7);
    for (const call of posted) if (!call.includes(`'operator_`)) expect(call).to.include('in_name_of => ');
  });
});
