import os
import shlex
import subprocess


def test_service_conforms():
    swapcheck = shlex.split(os.environ.get("SWAPCHECK", "swapcheck"))
    url = os.environ.get("SWAPCHECK_BASE_URL", "http://127.0.0.1:8080")
    run = subprocess.run([*swapcheck, "test", url, "--only", "2.7"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
