/*
 * What Node runs when it is the executable of `npm run build:binary`. It puts the
 * program, which it carries, into the user's cache folder the first time, and
 * starts it from there; processes that the program starts come here too.
 */
const { createRequire } = require('node:module');
const {
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { homedir, tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { getAsset } = require('node:sea');
const v8 = require('node:v8');
const { gunzipSync } = require('node:zlib');

const root = unpacked();
// A process that the program starts: flags for Node, then the module to run.
const given = process.argv.slice(2);
const at = given.findIndex((argument) => argument.startsWith(root));
for (const flag of given.slice(0, Math.max(at, 0))) v8.setFlagsFromString(flag);
const [entry, ...args] =
  at < 0 ? [join(root, 'dist/scripts/swapcheck.js'), ...given] : given.slice(at);
process.argv = [process.execPath, entry, ...args];
createRequire(join(root, 'start.cjs'))('./start.cjs');

/** Returns the folder of the program; a folder appears whole or not at all. */
function unpacked() {
  const name = `program-${getAsset('digest', 'utf8')}`;
  const folder = join(cacheFolder(), name);
  if (existsSync(folder)) return folder;
  let unfinished;
  try {
    mkdirSync(dirname(folder), { recursive: true });
    unfinished = mkdtempSync(`${folder}-`);
  } catch {
    // A home that may not be written to: this run alone has it, as long as temporary files are kept.
    unfinished = mkdtempSync(join(tmpdir(), `swapcheck-${name}-`));
  }
  const files = v8.deserialize(gunzipSync(Buffer.from(getAsset('program'))));
  for (const [path, { mode, content }] of files) {
    mkdirSync(dirname(join(unfinished, path)), { recursive: true });
    writeFileSync(join(unfinished, path), content, { mode });
  }
  writeFileSync(
    join(unfinished, 'start.cjs'),
    "import(require('node:url').pathToFileURL(process.argv[1]).href);\n",
  );
  if (dirname(unfinished) !== dirname(folder)) return unfinished;
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another process was first.
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const base = process.platform === 'win32' ? LOCALAPPDATA : XDG_CACHE_HOME;
  return join(base || join(homedir(), '.cache'), 'swapcheck');
}
