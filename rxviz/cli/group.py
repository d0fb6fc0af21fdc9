"""The command group, which imports a command's module only when that command is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from rxviz.errors import quoted


class LazyGroup(click.Group):
    """A group whose commands are given as {name: "module"}; each module has its command as `command`."""

    def __init__(self, *args: Any, modules: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order in which they are given."""
        return list(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command; None when there is none of that name."""
        if cmd_name not in self.modules:
            return None
        command: click.Command = import_module(self.modules[cmd_name]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one was probably meant."""
        if args and not args[0].startswith("-") and args[0] not in self.modules:
            near = get_close_matches(args[0], self.modules, n=1)
            meant = (
                f', did you mean "{near[0]}"?' if near else f"; to look at it, type {quoted('rxviz play ' + args[0])}"
            )
            raise click.UsageError(f"{quoted(args[0])} is not a command{meant}", ctx)
        return super().resolve_command(ctx, args)


class Subcommands(click.Group):
    """The group of a command with parts, such as `lessons check`; without a part it does what its own function does."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "invoke_without_command": True})

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the part, or say which one was probably meant."""
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            near = get_close_matches(args[0], self.commands, n=1)
            known = f'did you mean "{near[0]}"?' if near else f"known: {', '.join(self.commands)}"
            raise click.UsageError(f"{ctx.info_name} has no {quoted(args[0])}, {known}", ctx)
        return super().resolve_command(ctx, args)
