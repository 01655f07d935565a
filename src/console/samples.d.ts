/** Requests as code, served by the documentation: see src/edge/docs/assets/samples.js. */
export { languages, type SampledCall } from '../edge/docs/assets/samples.js';
