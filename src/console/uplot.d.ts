/** The drawer of charts, served from the package next to the console's files. */
import uPlot from 'uplot';
export default uPlot;
