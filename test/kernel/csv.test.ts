import { expect } from 'chai';
import fc from 'fast-check';
import { csvLine } from '../../src/kernel/csv.ts';

/** A reader of RFC 4180, section 2, written from its grammar. */
function parse(text: string): string[][] {
  const records: string[][] = [];
  let [record, field, isQuoted]: [string[], string, boolean] = [[], '', false];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (isQuoted && sign === '"' && text[at + 1] === '"') {
      field += '"';
      at += 1;
    } else if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && sign === ',') {
      record.push(field);
      field = '';
    } else if (!isQuoted && sign === '\r' && text[at + 1] === '\n') {
      records.push([...record, field]);
      [record, field] = [[], ''];
      at += 1;
    } else field += sign;
  }
  return records;
}

describe('a line of CSV', () => {
  it('is read back as it was, by the grammar of RFC 4180', () => {
    const text = fc.string().filter((each) => !/^[=+\-@\t\r]/.test(each));
    fc.assert(
      fc.property(fc.array(fc.array(text, { minLength: 2, maxLength: 5 }), { maxLength: 5 }), (records) => {
        expect(parse(records.map(csvLine).join(''))).to.deep.equal(records);
      }),
    );
  });

  for (const formula of ['=1+1', '+A1', '-A1', '@SUM(A1)', '\t=1', '\r=1', '-1+1', '=HYPERLINK("http://x","y")'])
    it(`shows ${JSON.stringify(formula)} as text`, () => {
      expect(parse(csvLine([formula, 'x']))[0]?.[0]).to.equal(`'${formula}`);
    });

  it('leaves numbers as they are, and null empty', () => {
    expect(csvLine(['-0.25', -7, 1, null, 'a'])).to.equal('-0.25,-7,1,,a\r\n');
  });
});
