#!/usr/bin/env python3
"""Compares legal moves with Fairy-Max in positions of recorded games.

    scripts/fairy_max_moves.py GAMES.pgn [--positions N] [--seed S] [--jobs J] [--acedrex PROGRAM] [--fairy-max PROGRAM]

GAMES.pgn comes from `acedrex-trainer match`; its games start from the array. For each of N positions, drawn at random
from all that the games went through, our list is `go perft 1` of `acedrex uci`. Fairy-Max is put into force mode, led to
the position, and sent every pair of squares that begins on a man of the side to move: what it does not call illegal it
accepts. Prints every difference and a summary. Exit status: 0 if the lists are equal, 1 if not, 2 for bad arguments or a program that does not answer.

Left out: pairs that end on the mover's own king. Fairy-Max reads those as castling notation (king and other man change
roles), so it answers for another move. And the rest of a game in which Fairy-Max needs more than 20 s for a position: to
take a move back it plays the game again, and looks long at some positions on the way. The summary says how many.
"""

import argparse
import random
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from engine import Engine

# Our reading and Fairy-Max's name of the same game, for either of its two programs.
VARIANTS = {"cazaux-musser": "grande-acedrex", "shamax": "grande-acedrex"}
# Seconds for one position, after which the rest of its game is left out.
PATIENCE = 20
# Moves sent before waiting for the answers, so that neither pipe fills.
BATCH = 200
SQUARES = [file + str(rank) for file in "abcdefghijkl" for rank in range(1, 13)]
MOVE = re.compile(r"^([a-l]\d{1,2})([a-l]\d{1,2})")


def games(path):
    """The variant and the moves of each game."""
    variant, found = None, []
    with open(path, encoding="utf-8") as file:
        for block in file.read().split("\n\n"):
            tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', block, re.M))
            if tags:
                variant = tags.get("Variant")
                continue
            words = re.sub(r"\{[^}]*\}", " ", block).split()
            moves = [word for word in words if not re.fullmatch(r"\d+\.|1-0|0-1|1/2-1/2|\*", word)]
            if bad := [word for word in moves if not MOVE.match(word)]:
                raise ValueError(f"found {bad[0]!r}, expected a move such as a4a5")
            if moves:
                found.append((variant, moves))
    return found


class Ours:
    def __init__(self, program, variant):
        self.engine = Engine([program, "uci"])
        self.engine.ask(f"uci\nsetoption name UCI_Variant value {variant}", "uciok")

    def legal(self, moves):
        """The legal moves after `moves`, and the FEN."""
        position = f"position startpos moves {' '.join(moves)}"
        fen = next(line for line in self.engine.ask(f"{position}\nd\nisready", "readyok") if line.count("/") == 11)
        lines = self.engine.ask("go perft 1", "Nodes searched")
        legal = {found.group(0) for line in lines if (found := MOVE.match(line))}
        return legal, fen


class FairyMax:
    """A process for one game: it locks the game's positions as repeated, and `new` does not free them."""

    def __init__(self, program, variant):
        self.engine, self.pings = Engine([program]), 0
        # Taking back looks through the whole hash table: a small one makes that quick.
        self.send(["xboard", "protover 2", "memory 1", "new", f"variant {VARIANTS[variant]}", "force"])

    def send(self, lines):
        """What it says to these lines."""
        self.pings += 1
        return self.engine.ask("\n".join([*lines, f"ping {self.pings}"]), f"pong {self.pings}\n")

    def play(self, moves):
        """How many of these it takes, one after the other."""
        return len(moves) - sum(line.startswith("Illegal move") for line in self.send(moves))

    def accepts(self, pairs, likely):
        """Those of `pairs` that it takes in this position; it is asked one by one for those in `likely`."""
        accepted = set()
        rest = [pair for pair in pairs if pair not in likely]
        groups = [rest[at:at + BATCH] for at in range(0, len(rest), BATCH)] + [[pair] for pair in sorted(likely)]
        while groups:
            group = groups.pop()
            if taken := self.play(group):
                self.send(["undo"] * taken)
                if len(group) == 1:
                    accepted.add(group[0])
                else:
                    groups += [[pair] for pair in group]
        return accepted


def men(fen):
    """{square: letter} of a FEN."""
    board = {}
    for row, text in enumerate(fen.split()[0].split("/")):
        file = 0
        for word in re.findall(r"\d+|[A-Za-z]", text):
            if word.isdigit():
                file += int(word)
            else:
                board["abcdefghijkl"[file] + str(12 - row)] = word
                file += 1
    return board


def compare(options, variant, moves, plies):
    """Compares the positions of one game after so many plies: how many, how many not, and a line for each difference."""
    ours, theirs = Ours(options.acedrex, variant), FairyMax(options.fairy_max, variant)
    known, compared, differences = 0, 0, []
    try:
        for ply in plies:
            if theirs.play(moves[known:ply]) < ply - known:
                differences.append(f"Fairy-Max calls a move of the game illegal: {' '.join(moves[:ply])}")
                break
            known = ply
            began = time.monotonic()
            legal, fen = ours.legal(moves[:ply])
            white = fen.split()[1] == "w"
            own = {square: letter for square, letter in men(fen).items() if letter.isupper() == white}
            king = next((square for square, letter in own.items() if letter in "Kk"), None)
            accepted = theirs.accepts([a + b for a in own for b in SQUARES if b not in (a, king)], legal)
            compared += 1
            for move in sorted(legal ^ accepted):
                says = "legal to us, not to Fairy-Max" if move in legal else "legal to Fairy-Max, not to us"
                differences.append(f"{fen}: {move}: {says}; after {' '.join(moves[:ply])}")
            if time.monotonic() - began > PATIENCE:
                break
    finally:
        ours.engine.close()
        theirs.engine.close()
    return compared, len(plies) - compared, differences


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pgn", metavar="GAMES.pgn")
    parser.add_argument("--positions", type=int, default=2000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--jobs", type=int, default=2, metavar="J")
    parser.add_argument("--acedrex", default="target/release/acedrex", metavar="PROGRAM")
    parser.add_argument("--fairy-max", default="/usr/games/fairymax", metavar="PROGRAM")
    options = parser.parse_args()
    try:
        played = games(options.pgn)
    except (OSError, ValueError) as error:
        parser.error(f"{options.pgn}: {getattr(error, 'strerror', None) or error}")
    variants = {variant for variant, _ in played}
    if len(variants) != 1 or not variants <= set(VARIANTS):
        parser.error(f"{options.pgn}: found games of {sorted(map(str, variants))}, expected one of {sorted(VARIANTS)}")
    if options.positions < 1 or options.jobs < 1:
        parser.error("--positions and --jobs: expected 1 or more")
    # By the moves that lead there, so that an opening which two games share counts once. A game's last position is over.
    places = {tuple(moves[:ply]): (moves, ply) for _, moves in played for ply in range(len(moves))}
    chosen = {}
    for place in random.Random(options.seed).sample(sorted(places), min(options.positions, len(places))):
        moves, ply = places[place]
        chosen.setdefault(tuple(moves), []).append(ply)
    variant = variants.pop()
    with ThreadPoolExecutor(options.jobs) as pool:
        jobs = [pool.submit(compare, options, variant, list(moves), sorted(plies)) for moves, plies in chosen.items()]
        results = [job.result() for job in jobs]
    differences = [line for _, _, lines in results for line in lines]
    print("\n".join(differences), end="\n" if differences else "")
    compared, left = (sum(result[at] for result in results) for at in (0, 1))
    left = f", {left} left out" if left else ""
    print(f"{compared} positions of {len(played)} games compared{left}, {len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
