/** Requests as code, served beside the console: see src/edge/docs/assets/samples.js. */
export { languages, type SampledCall } from '../edge/docs/assets/samples.js';
