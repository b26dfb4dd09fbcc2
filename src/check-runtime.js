// Runs before anything else of the program. In JavaScript, so that an older Node.js reads it too: one of the next files
// would end that one with a syntax error.
const oldest = 24;

/** @param {string} message */
function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

if (Number.parseInt(process.versions.node, 10) < oldest) {
  stop(
    `citizen-services needs Node.js ${oldest} or newer, and this is ${process.versions.node}. In a clone, run "npm ci" and then "npm start". Elsewhere, install Node.js 26.`,
  );
}

try {
  import.meta.resolve('fastify');
} catch {
  stop('The packages of citizen-services are not installed. Run: npm ci');
}
