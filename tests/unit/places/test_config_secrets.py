"""Secret values of OpenClaw's config are known, so that they can be kept out of everything."""

from __future__ import annotations

from totalrecall.places.config_secrets import is_secret_name, secret_values


def test_values_under_secret_names_are_found_at_any_depth() -> None:
    """Lists and nested blocks are gone through; references, short and ordinary values are not secrets."""
    key, token = "made-up-" + "k" * 12, "made-up-" + "t" * 12
    tree = {
        "models": {"providers": {"x": {"apiKey": key, "baseUrl": "http://127.0.0.1:1/v1"}}},
        "channels": [{"botToken": token}, {"botToken": "${BOT_TOKEN}"}, {"password": "short"}],
        "gateway": {"auth": {"mode": "token", "token": token}},
        "tokens": [key],
    }
    assert set(secret_values(tree)) == {key, token}
    assert secret_values(None) == ()


def test_names_are_judged_by_their_end() -> None:
    """A keyboard is no key."""
    assert is_secret_name("OPENROUTER_API_KEY")
    assert not is_secret_name("keyboard")
