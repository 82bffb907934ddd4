/*
 * Entry of the executable that `npm run build:binary` builds from Node. On its first run, it
 * unpacks the program into the user's cache folder. Every run starts the program from there. Child
 * processes of the program also run this file.
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

const root = unpackProgram();
// A child process receives flags for Node, then a module of the program, then the arguments of that
// module.
const given = process.argv.slice(2);
const moduleAt = given.findIndex((argument) => argument.startsWith(root));
for (const flag of given.slice(0, Math.max(moduleAt, 0))) v8.setFlagsFromString(flag);
const [entry, ...args] =
  moduleAt < 0 ? [join(root, 'dist/scripts/swapcheck.js'), ...given] : given.slice(moduleAt);
process.argv = [process.execPath, entry, ...args];
createRequire(join(root, 'start.cjs'))('./start.cjs');

/** Returns the folder of the program. If the folder does not exist, creates it atomically. */
function unpackProgram() {
  const name = `program-${getAsset('digest', 'utf8')}`;
  const folder = join(cacheFolder(), name);
  if (existsSync(folder)) return folder;
  let unfinished;
  try {
    mkdirSync(dirname(folder), { recursive: true });
    unfinished = mkdtempSync(`${folder}-`);
  } catch {
    // The home folder is not writable, so unpack into a temporary folder, for this run only.
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
    // Another process may have created the folder first.
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
