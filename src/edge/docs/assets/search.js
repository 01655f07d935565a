/** What is indexed and kept of each entry. The server that makes the index and the page that searches it use the same. */
export const options = { fields: ['title', 'text'], storeFields: ['title', 'page', 'url'] };

const MOST = 12;
const BOOST = { prefix: true, boost: { title: 4 } };
const isFuzzy = (term) => (term.length > 4 ? 0.1 : false);

/**
 * The best entries for a query. Those with every word come first, in the order of their score; then those with some, so
 * that a word too many hides nothing.
 */
export function ranked(index, query) {
  const words = query.split(/\s+/).filter(Boolean).length;
  const found = index.search(query, { ...BOOST, fuzzy: isFuzzy, combineWith: 'OR' });
  const hasAll = ({ queryTerms }) => new Set(queryTerms).size >= words;
  return [...found.filter(hasAll), ...found.filter((entry) => !hasAll(entry))].slice(0, MOST);
}
