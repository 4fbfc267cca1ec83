#!/usr/bin/env python3
"""Nodes to solve: how soon engines find the one move that wins.

    scripts/solve.py run [--engine COMMAND]... [--limit NODES] [FILE.epd]...
    scripts/solve.py find --ruleset R [--count N] [--nodes N] GAMES.csv >FILE.epd

`run` asks each UCI engine (default: target/release/acedrex uci) for each position of the files (default:
tests/data/solve/*.epd, named by ruleset). A position is solved at the nodes of the first finished iteration from which on
the best move is the solution, to the limit; unsolved, it counts as the limit. Prints how many are solved and the median, and
for two engines the median ratio (second / first) with its bootstrap 95 % interval over the positions.

`find` looks through positions of self-play (`acedrex-trainer dataset export`) for those with one winning move that is not
seen at once: with N nodes (20000) the best move wins (150 centipawns or more, two and a half pawns), the next best does
not (below 60), and a search of N / 100 nodes prefers another. Kept are those of which a search of 50 N nodes says the same.
Looked at are positions in which the score of the game rose for the side to move: the other side has just erred.
"""

import argparse
import csv
import glob
import os
import random
import re
import statistics
import sys

from engine import Engine

WINS, WINS_NOT = 150, 60


class Searcher(Engine):
    def __init__(self, command, ruleset, lines=1):
        super().__init__(command.split() or [""])
        self.ask("uci", "uciok")
        self.ask(f"setoption name UCI_Variant value {ruleset}\nsetoption name MultiPV value {lines}\nisready", "readyok")

    def search(self, fen, nodes):
        """Each report of a search from an empty table, as (line, score, nodes, move)."""
        self.ask("ucinewgame\nisready", "readyok")
        reports = []
        for line in self.ask(f"position fen {fen}\ngo nodes {nodes}", "bestmove"):
            words = line.split()
            if words[:1] != ["info"] or "pv" not in words or "score" not in words:
                continue
            at = words.index("score")
            score = int(words[at + 2])
            if words[at + 1] == "mate":
                score = 30_000 - score if score > 0 else -30_000 - score
            rank = int(words[words.index("multipv") + 1]) if "multipv" in words else 1
            reports.append((rank, score, int(words[words.index("nodes") + 1]), words[words.index("pv") + 1]))
        return reports

    def best_two(self, fen, nodes):
        """The last reports of the two best moves; None if there is only one."""
        last = {report[0]: report for report in self.search(fen, nodes)}
        return (last[1], last[2]) if 2 in last else None


def after_errors(rows):
    """The positions in which the score is by 100 centipawns better for the side to move than a ply before."""
    found, before = [], None
    for row in rows:
        score = row["score_white_cp"]
        if score and before and before[0] == row["game"]:
            sign = 1 if row["fen"].split()[1] == "w" else -1
            if sign * (int(score) - before[1]) >= 100:
                found.append(row)
        before = (row["game"], int(score)) if score else None
    return found


def one_wins(two):
    return two is not None and two[0][1] >= WINS and two[1][1] < WINS_NOT


def find(options):
    engine = Searcher("target/release/acedrex uci", options.ruleset, lines=2)
    with open(options.games, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if not {"fen", "game", "ply", "score_white_cp"} <= set(reader.fieldnames or []):
            raise SystemExit(f"error: {options.games}: expected the columns fen, game, ply and score_white_cp of a dataset export")
        rows = after_errors(reader)
    random.Random(options.seed).shuffle(rows)
    found, near = 0, set()
    for row in rows:
        fen, game, ply = row["fen"], row["game"], int(row["ply"])
        # Not twice the same chance.
        if any((game, other) in near for other in range(ply - 20, ply + 21)):
            continue
        two = engine.best_two(fen, options.nodes)
        if not one_wins(two):
            continue
        move = two[0][3]
        early = [report[3] for report in engine.search(fen, max(options.nodes // 100, 1)) if report[0] == 1]
        if early[-1:] == [move]:
            continue
        deep = engine.best_two(fen, 50 * options.nodes)
        if not one_wins(deep) or deep[0][3] != move:
            continue
        near.add((game, ply))
        found += 1
        print(f"{' '.join(fen.split()[:3])} bm {move}; hmvc {fen.split()[3]}; ce {deep[0][1]}; c0 \"next best {deep[1][1]}\";", flush=True)
        print(f"{found} of {options.count}", file=sys.stderr)
        if found == options.count:
            break
    engine.close()
    if found < options.count:
        raise SystemExit(f"error: {found} positions found in {len(rows)}, expected {options.count}: give more games")


def positions(paths):
    """(ruleset, FEN, move) of each line."""
    for path in paths:
        ruleset = os.path.basename(path).removesuffix(".epd")
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if not line.strip() or line.startswith("#"):
                    continue
                found = re.fullmatch(r"(\S+ [wb] \S+) bm (\S+); hmvc (\d+);.*", line.strip())
                if not found:
                    raise SystemExit(f"error: {path}, line {number}: found {line.strip()[:80]!r}, expected FEN bm MOVE; hmvc N; ...")
                yield ruleset, f"{found[1]} {found[3]} 1", found[2]


def nodes_to_solve(engine, fen, move, limit):
    """Nodes, and whether it was solved."""
    since = None
    for _, _, nodes, best in engine.search(fen, limit):
        since = (nodes if since is None else since) if best == move else None
    return (limit, False) if since is None else (min(since, limit), True)


def run(options):
    paths = options.files or sorted(glob.glob("tests/data/solve/*.epd"))
    places = list(positions(paths))
    if not places:
        raise SystemExit("error: no positions: expected FILE.epd arguments or tests/data/solve/*.epd")
    counts = []
    for command in options.engine or ["target/release/acedrex uci"]:
        engine, ruleset, solved, nodes = None, None, 0, []
        for wanted, fen, move in places:
            if wanted != ruleset:
                if engine:
                    engine.close()
                engine, ruleset = Searcher(command, wanted), wanted
            count, right = nodes_to_solve(engine, fen, move, options.limit)
            nodes.append(count)
            solved += right
        engine.close()
        print(f"{command}: {solved} of {len(places)} solved within {options.limit} nodes, median {statistics.median(nodes):.0f} nodes")
        counts.append(nodes)
    if len(counts) == 2:
        first, second = counts
        generator = random.Random(1)

        def ratio(sample):
            return statistics.median(second[i] for i in sample) / statistics.median(first[i] for i in sample)

        every = range(len(places))
        drawn = sorted(ratio(generator.choices(every, k=len(places))) for _ in range(2000))
        print(f"ratio of the medians: {ratio(every):.3f} (95 %: {drawn[50]:.3f} to {drawn[1949]:.3f})")


def positive(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected 1 or more")
    return int(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run")
    runs.add_argument("--engine", action="append", metavar="COMMAND")
    runs.add_argument("--limit", type=positive, default=200_000, metavar="NODES")
    runs.add_argument("files", nargs="*", metavar="FILE.epd")
    runs.set_defaults(run=run)
    finds = commands.add_parser("find")
    finds.add_argument("--ruleset", required=True, metavar="R")
    finds.add_argument("--count", type=positive, default=25, metavar="N")
    finds.add_argument("--nodes", type=positive, default=20_000, metavar="N")
    finds.add_argument("--seed", type=int, default=1, metavar="S")
    finds.add_argument("games", metavar="GAMES.csv")
    finds.set_defaults(run=find)
    options = parser.parse_args()
    try:
        options.run(options)
    except (OSError, UnicodeDecodeError) as error:
        raise SystemExit(f"error: {getattr(error, 'filename', None) or 'input'}: {error}") from None


if __name__ == "__main__":
    main()
