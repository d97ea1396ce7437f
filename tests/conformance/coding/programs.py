"""claude, codex and gemini from npm, and a home for each that knows the scripted model only."""
import fcntl
import json
import os
import subprocess
from pathlib import Path

from outside import Missing, environment, install, tool

PACKAGES = ["@anthropic-ai/claude-code@2.1.197", "@openai/codex@0.169.0", "@google/gemini-cli@0.61.0"]
NAMES = ["claude", "codex", "gemini"]

CODEX = """model_provider = "scripted"
model = "gpt-5"
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = {retries}
stream_max_retries = {retries}
"""


def runs(program):
    try:
        done = subprocess.run([program, "--version"], capture_output=True, check=False, timeout=120, env=environment())
        return done.returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def programs(folder):
    """The folder with the three programs. Tests that run at once fetch them once."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = install(folder, PACKAGES) / ".bin"
    for name in NAMES:
        if not runs(found / name):
            raise Missing(f"{name} does not run on this machine")
    return found


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def make_home(home, url, retries=0):
    """The settings that a user of these services has, with few attempts of the programs' own."""
    write(home / ".claude/settings.json", json.dumps({"env": {
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_MAX_RETRIES": str(retries)}}))
    write(home / ".codex/config.toml", CODEX.format(url=url, retries=retries))
    write(home / ".gemini/settings.json", json.dumps({
        "security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"maxAttempts": retries + 1},
        "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False}}))
    write(home / ".gitconfig", "[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n")
    return home


def variables(found, home, url, keys=True):
    """The environment of a user who has logged in by keys."""
    named = {"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k", "GEMINI_API_KEY": "k"} if keys else {}
    kept = {key: value for key, value in environment().items() if key in ("LD_LIBRARY_PATH", "ASAN_OPTIONS", "TMPDIR")}
    path = f"{found}:{os.path.dirname(tool('node'))}:/usr/bin:/bin"
    return {**kept, "PATH": path, "HOME": str(home), "LC_ALL": "C.UTF-8", "ANTHROPIC_BASE_URL": url,
            "GOOGLE_GEMINI_BASE_URL": url, **named}
